import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "../testing/drive";
import { FakeTools } from "../testing/install/fake-tools";
import { RegistryServer, serving } from "../testing/install/registry-server";
import { program, scriptedAgent } from "../testing/programs/programs";

interface Reported {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
const AGENT = {
  version: "1.0.0",
  bin: "agent.js",
  content: `#!/usr/bin/env node\nimport(${JSON.stringify(pathToFileURL(path.resolve(scriptedAgent().args[0] ?? "")).href)});\n`,
};
const doctor = (...args: readonly string[]): Promise<Reported> => doctorIn({ SHELL: "/bin/sh" }, ...args);

/** Runs the command as a process, with a temporary home folder. */
async function doctorIn(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Reported> {
  using home = temporaryFolder();
  const { command, args: first } = program("symposium-acp-agent");
  const child = spawn(command, [...first, "doctor", ...args], {
    env: { ...process.env, HOME: home.path, USERPROFILE: home.path, ...env },
    cwd: home.path,
  });
  child.stdin.end();
  const output = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.err += text;
  });
  const code = await new Promise<number | null>(resolve => {
    child.once("close", resolve);
  });
  doesNotMatch(output.out, new RegExp(home.path), "the home folder is ~");
  return { code, ...output };
}
const scripted = (...flags: readonly string[]): string =>
  JSON.stringify({ name: "Ada", distribution: { local: scriptedAgent(flags) } });

suite("symposium-acp-agent doctor", () => {
  test("lists the tools that agents need and those found", async () => {
    const { code, out, err } = await doctor();
    match(out, /^Symposium .*, Node .*\nShell: .*\nTools:\n {2}node {3}\S+/);
    equal(code, 0, err);
  });

  test("reports a working agent", async () => {
    const { code, out } = await doctor("--agent", scripted());
    match(out, /Agent: Ada\n[^]*Found: fine\. Ada starts and responds\.\ninitialize: version 1\nsession\/new: opened/);
    equal(code, 0);
  });

  test("reports the cause and the redacted last output of a failing agent", async () => {
    const words = `console.error("ADA_TOKEN=abcdefghijk is wrong"); process.exit(4)`;
    const { code, out } = await doctor(
      "--agent",
      JSON.stringify({ name: "Ada", distribution: { local: { command: process.execPath, args: ["-e", words] } } }),
    );
    match(
      out,
      /Found: exited\. Ada exits \(exit code 4\) before it responds\.[^]*Last output:\n {2}ADA_TOKEN=… is wrong/,
    );
    doesNotMatch(out, /abcdefghijk is wrong/);
    equal(code, 1);
  });

  test("prints no secrets of the given command", async () => {
    const { out } = await doctor(
      "--agent",
      `"${process.execPath}" -e "process.exit(3)" --api-key=V1secret --key V2secret -H "Authorization: token V3secret"`,
    );
    match(out, /Command: .* --api-key=… --key … -H Authorization: …/);
    doesNotMatch(out, /V\dsecret/);
  });

  test("names the missing tool of an agent that cannot be installed, and an unknown id", async () => {
    match((await doctor("elizacp")).out, /Found: fine\. Eliza is built in and has no requirements\./);
    match((await doctor("cargo")).out, /Found: fine\. Cargo is built in and has no requirements\./);
    using folder = temporaryFolder();
    symlinkSync(process.execPath, path.join(folder.path, "node"));
    const poor = { PATH: folder.path, SHELL: "/bin/false" };
    const { code, out } = await doctorIn(poor, "codex");
    match(out, /Agent: Codex\nFound: noPlatform\. Codex needs Node\.js with npm, which was not found\./);
    equal(code, 1);
    const registry = await RegistryServer.start(serving({ version: "1.0.0", agents: [] }));
    const unknown = await doctorIn(poor, "absent", "--registry", registry.url);
    await registry[Symbol.asyncDispose]();
    match(unknown.out, /“absent” is neither an agent nor an agent extension of Symposium or of the registry\./);
    equal(unknown.code, 1);
  });

  test("installs a named agent before it examines it", async () => {
    using folder = temporaryFolder();
    const bin = path.join(folder.path, "bin"),
      tools = new FakeTools(bin, ["npm"], { packages: { "@agentclientprotocol/codex-acp": AGENT } });
    symlinkSync(process.execPath, path.join(bin, "node"));
    for (const name of ["sh", "env"]) symlinkSync(`/bin/${name}`, path.join(bin, name));
    const { code, out, err } = await doctorIn({ PATH: bin, SHELL: "/bin/false" }, "codex");
    match(err, /^Codex 1\.0\.0 is installed\.$/m);
    match(out, /Agent: Codex\n[^]*Found: fine\. Codex starts and responds\./);
    deepEqual([code, tools.calls.length], [0, 1]);
  });
});
