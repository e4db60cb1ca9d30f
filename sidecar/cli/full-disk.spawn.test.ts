import { deepEqual, equal, match } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { PROTOCOL } from "../../src/protocol/sidecar";
import { census } from "../testing/census";
import { temporaryFolder } from "../testing/drive";
import { eventually } from "../testing/eventually";
import { program, scriptedAgent } from "../testing/programs/programs";
import { NEEDS_PROC, skipped } from "../testing/skipped";

/**
 * Runs the command in a mount namespace whose storage folder is a full file system. For a user without mount permission
 * it sets a file size limit of 0.
 */
function onFullDisk(storage: string, command: readonly string[]): readonly string[] {
  const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0;
  if (!canMount) return ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" "$@"', ...command];
  const fill = 'mount -t tmpfs -o size=16k tmpfs "$0" && dd if=/dev/zero of="$0/filler" 2>/dev/null; exec "$@"';
  return ["unshare", "--mount", "/bin/sh", "-c", fill, storage, ...command];
}

/** Starts a sidecar as the extension host does. */
async function sidecar(storage: string, disk: "free" | "full") {
  const { command, args } = program("symposium-acp-agent"),
    serve = [command, ...args, "serve"];
  const [file = "", ...rest] = disk === "full" ? onFullDisk(storage, serve) : serve;
  const env = { ...process.env, HOME: storage, USERPROFILE: storage };
  const child = spawn(file, rest, { stdio: ["pipe", "pipe", "inherit"], env });
  const wire = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  const warnings: string[] = [],
    closed = once(child, "close");
  wire.onNotification("editor/showWarning", ({ message }: { readonly message: string }) => {
    warnings.push(message);
  });
  wire.onRequest("secrets/environment", () => ({ env: {} }));
  wire.listen();
  const { bootId } = await wire.sendRequest<{ readonly bootId: string }>("hello", {
    protocol: PROTOCOL,
    build: "development",
    storage,
    logLevel: "error",
    agentLogLevel: "error",
    traceDir: "",
    bypass: [],
    extensions: [],
    proxy: "",
  });
  return {
    warnings,
    bootId,
    startAgent: async (flags: readonly string[]): Promise<void> => {
      const { command, args } = scriptedAgent(flags);
      const agent = { id: "ada", name: "Ada", distribution: { local: { command, args } } };
      await wire.sendRequest("chat/new", { conversation: "one", agent, cwd: storage, shown: [] });
    },
    kill: async (): Promise<void> => {
      child.kill("SIGKILL");
      await closed;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      child.stdin.end();
      await closed;
      wire.dispose();
    },
  };
}

suite("sidecar on a full disk", function () {
  suiteSetup(function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
  });

  test("warns the user once, and the next sidecar ends its processes after kill -9", async () => {
    using folder = temporaryFolder();
    const full = await sidecar(folder.path, "full");
    await full.startAgent(["--ignore-sigterm", "--ignore-stdin-end", "--with-child", "--setsid-child"]);
    await eventually(() => census(full.bootId).length === 3, "the agent and its children");
    const ledgers = path.join(folder.path, "processes"),
      files = existsSync(ledgers) ? readdirSync(ledgers) : [];
    equal(files.map(name => readFileSync(path.join(ledgers, name), "utf8")).join(""), "");
    equal(full.warnings.length, 1);
    match(
      full.warnings[0] ?? "",
      /^Symposium cannot record the processes that it starts, .* Symposium starts again\. /,
    );
    await full.kill();
    equal(census(full.bootId).length, 3);
    await using next = await sidecar(folder.path, "free");
    await eventually(() => census(full.bootId).length === 0, "the end of the agent and its children");
    deepEqual(next.warnings, []);
  });
});
