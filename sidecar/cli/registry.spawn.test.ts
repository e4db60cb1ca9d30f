/** The command `registry` as a program. */
import { deepEqual, equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { program } from "../testing/programs/programs";
import { FakeTools } from "../testing/install/fake-tools";
import { skipped } from "../testing/skipped";
import { RegistryServer, serving, status } from "../testing/install/registry-server";
import { DOCUMENT, KINDS } from "../testing/install/registry-document";

suite("symposium-acp-agent registry", () => {
  let home: string, server: RegistryServer;
  let environment: Readonly<Record<string, string>> = {};
  setup(async () => {
    environment = {};
    home = mkdtempSync(path.join(tmpdir(), "registry-"));
    server = await RegistryServer.start(serving(DOCUMENT));
  });
  teardown(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  const run = async (
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> => {
    const { command, args: first } = program("symposium-acp-agent"),
      child = spawn(command, [...first, "registry", ...args], {
        env: { ...process.env, HOME: home, USERPROFILE: home, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      });
    let out = "",
      err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    return new Promise(resolve => {
      child.once("close", code => resolve({ code, out, err }));
    });
  };

  test("fetches, caches and works offline", async function () {
    this.timeout(timeLimit(120_000));
    const first = await run("resolve", "npx", "--registry", server.url);
    deepEqual([first.code, first.err], [0, ""]);
    equal((JSON.parse(first.out) as { name: string }).name, "Ada npx");
    deepEqual(await run("resolve", "npx", "--registry", server.url), first);
    deepEqual(
      server.requests.map(({ headers }) => headers["if-none-match"]),
      [undefined, '"1"'],
    );
    server.answer = status(503);
    const offline = await run("resolve", "npx", "--registry", server.url);
    deepEqual([offline.code, offline.out], [0, first.out]);
    match(
      offline.err,
      /^The registry at 127\.0\.0\.1:\d+ could not be read\. The server returned status 503\. A cached copy is used; its age is (less than a minute|1 minute|\d minutes)\.\n$/,
    );
    const unknownAgent = await run("resolve", "absent", "--registry", server.url);
    deepEqual([unknownAgent.code, unknownAgent.out], [1, ""]);
    match(unknownAgent.err, /\nUnknown agent “absent”\. See symposium-acp-agent registry list\.\n$/);
    const list = await run("list", "--registry", server.url);
    equal((JSON.parse(list.out) as unknown[]).length >= Object.keys(KINDS).length + 4, true);
  });

  test("installs into a new home, and resolves offline afterwards", async function () {
    this.timeout(timeLimit(120_000));
    if (process.platform === "win32") skipped(this, "the fake programs are shell scripts");
    const bin = path.join(home, "tools"),
      tools = new FakeTools(bin, ["npm", "cargo"], {
        packages: {
          "@ada/agent": { version: "1.2.3", bin: { agent: "agent.js" } },
          "ada-agent": { version: "3.0.0", bin: { "ada-agent": "" } },
        },
      });
    for (const [name, target] of [
      ["node", process.execPath],
      ["sh", "/bin/sh"],
    ] as const)
      symlinkSync(target, path.join(bin, name));
    environment = { PATH: bin, SHELL: "/bin/false" };
    const at = ["--registry", server.url];
    const missing = await run("resolve", "cargo-newest", ...at);
    deepEqual(
      [missing.code, missing.out, missing.err],
      [1, "", "Ada cargo-newest is not installed. Run symposium-acp-agent registry install cargo-newest.\n"],
    );
    deepEqual(tools.calls, []);
    const crate = await run("install", "cargo-newest", ...at);
    deepEqual([crate.code, crate.out], [0, `{"id":"cargo-newest","name":"Ada cargo-newest","version":"3.0.0"}\n`]);
    match(crate.err, /^Installing Ada cargo-newest\n[^]*Ada cargo-newest 3\.0\.0 is installed\.\n$/);
    const npm = await run("resolve", "npx", "--install", ...at);
    equal(npm.code, 0);
    server.answer = status(503);
    for (const name of tools.names) rmSync(path.join(bin, name));
    for (const id of ["cargo-newest", "npx"]) {
      const { code, out } = await run("resolve", id, ...at),
        { command, args } = JSON.parse(out) as { command: string; args: string[] };
      deepEqual([code, existsSync(id === "npx" ? args[0]! : command)], [0, true]);
    }
    const failed = await run("install", "uvx", ...at);
    deepEqual([failed.code, failed.out], [1, ""]);
    match(failed.err, /Ada uvx could not be installed\. Ada uvx needs uv or pipx, which was not found\./);
  });

  test("resolves Eliza to its own program", async function () {
    this.timeout(timeLimit(120_000));
    const { code, out, err } = await run("resolve", "elizacp");
    deepEqual([code, err, server.requests.length], [0, "", 0]);
    const { command, args } = JSON.parse(out) as { command: string; args: string[] };
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n`,
    );
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    equal(
      await new Promise(resolve => {
        child.once("close", resolve);
      }),
      0,
    );
    match(stdout, /"protocolVersion":1/);
  });

  test("rejects invalid arguments", async function () {
    this.timeout(timeLimit(120_000));
    const { code, out, err } = await run("list", "--registry", "http://example.com");
    deepEqual([code, out], [2, ""]);
    match(err, /^--registry takes an https URL/);
  });
});
