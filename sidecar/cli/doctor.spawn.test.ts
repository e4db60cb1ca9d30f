import { doesNotMatch, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { temporaryFolder } from "../testing/drive";
import { program, scriptedAgent } from "../testing/programs/programs";

/** Runs the command as a process, with a temporary home folder. */
async function doctor(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  using home = temporaryFolder();
  const { command, args: first } = program("symposium-acp-agent");
  const child = spawn(command, [...first, "doctor", ...args], {
    env: { ...process.env, HOME: home.path, USERPROFILE: home.path, SHELL: "/bin/sh" },
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

  test("reports a built-in and a missing agent without installing", async () => {
    match((await doctor("elizacp")).out, /Found: fine\. Eliza is built in and has no requirements\./);
    const { code, out } = await doctor("codex");
    match(out, /Agent: Codex\nFound: (halfInstalled\. Codex is not installed yet|noPlatform\. )/);
    equal(code, 1);
    match(
      (await doctor("nobody")).out,
      /Unknown built-in agent “nobody”\. Built-in agents: elizacp, zed-claude-code, codex, gemini, kiro-cli\./,
    );
  });
});
