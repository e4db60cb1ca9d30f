/** Commands as child processes and in terminals of the client: output, end, and remaining processes. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { AgentError } from "../../errors";
import { objectOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { census } from "../../testing/census";
import { eventually } from "../../testing/eventually";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import { choosing, EDITOR, WorkspaceRig } from "../../testing/extensions/workspace-rig";
import { nodeCommands } from "./commands";

const ALL = { approve: "all" };
const never = new AbortController().signal;

suite("command process", () => {
  suiteSetup(function () {
    if (process.platform === "win32") skipped(this, "These are lines for sh");
  });

  test("returns output and exit code from its folder with the user's environment", async () => {
    await using rig = new WorkspaceRig(ALL, { environment: async () => ({ ...process.env, MINE: "from the shell" }) });
    rig.put("sub/x");
    await rig.begin();
    deepEqual((await rig.call("run_terminal", { command: "echo out; echo err >&2; exit 3" })).structured, {
      stdout: "out\n",
      stderr: "err\n",
      code: 3,
    });
    deepEqual(await rig.call("run_terminal", { command: "pwd; echo $MINE", cwd: "sub" }), {
      text: JSON.stringify({ stdout: `${realpathSync(rig.at("sub"))}\nfrom the shell\n`, stderr: "", code: 0 }),
      isError: false,
      structured: { stdout: `${realpathSync(rig.at("sub"))}\nfrom the shell\n`, stderr: "", code: 0 },
    });
    deepEqual(rig.cards, ["Run echo out; echo err >&2; exit 3 failed", "Run pwd; echo $MINE in sub completed"]);
    deepEqual(
      rig.updates
        .filter(({ content }) => Array.isArray(content) && content.length > 0)
        .map(({ content }) => content)
        .at(0),
      [{ type: "content", content: { type: "text", text: "```\nout\n\nerr\n```" } }],
    );
  });

  test("has an empty stdin", async () => {
    await using rig = new WorkspaceRig(ALL);
    await rig.begin();
    deepEqual((await rig.call("run_terminal", { command: "cat; echo over" })).structured, {
      stdout: "over\n",
      stderr: "",
      code: 0,
    });
  });

  test("truncates the middle of long output", async () => {
    await using rig = new WorkspaceRig(ALL);
    await rig.begin();
    const { stdout } = objectOr(
      (await rig.call("run_terminal", { command: "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done" }))
        .structured,
    );
    match(String(stdout), /^line 0\n[^]*\[\d+ characters are omitted\.\][^]*line 19999\n$/);
    ok(String(stdout).length < 31_000);
  });

  test("is ended with its children at the time limit and returns the output so far", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    const clock = new FakeClock();
    // The exit of processes takes real time.
    using real = new ExtensionRig();
    await using rig = new WorkspaceRig(ALL, { clock, run: real.fixture.run });
    await rig.begin();
    const call = rig.call("run_terminal", {
      command: "sleep 300 & (sleep 301 & wait) & echo begun > begun; echo begun; wait",
      timeout: 5_000,
    });
    await eventually(
      () =>
        census(real.run).filter(({ command }) => command.startsWith("sleep")).length === 2 &&
        existsSync(rig.at("begun")),
      "both children",
    );
    clock.advance(4_999);
    await eventually(
      () => census(real.run).filter(({ command }) => command.startsWith("sleep")).length === 2,
      "that they go on",
    );
    clock.advance(1);
    const { structured, isError } = await call;
    deepEqual(
      [structured, isError],
      [
        {
          stdout: "begun\n",
          stderr: "",
          code: null,
          note: "The command did not exit within 5000 ms and was stopped with all its child processes. Use a longer timeout or a shorter command.",
        },
        true,
      ],
    );
    deepEqual(census(real.run), []);
    equal(clock.waiting, 0, "a timer was leaked");
  });

  test("is ended with its children when its call or turn is cancelled", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    for (const how of ["withdrawn", "stopped"]) {
      await using rig = new WorkspaceRig(ALL);
      await rig.begin();
      const abort = new AbortController(),
        call = rig.call("run_terminal", { command: "sleep 300 & sleep 301" }, { signal: abort.signal }).then(
          ({ text }) => text,
          () => "withdrawn",
        );
      await eventually(
        () => census(rig.extension.run).filter(({ command }) => command.startsWith("sleep")).length === 2,
        "both",
      );
      if (how === "withdrawn") abort.abort();
      else rig.fixture.client.notify("session/cancel", { sessionId: "s1" });
      equal(await call, how === "withdrawn" ? "withdrawn" : "The turn was stopped.");
      await eventually(() => census(rig.extension.run).length === 0, "that nothing is left");
    }
  });

  test("returns the signal instead of an exit code", async () => {
    await using rig = new WorkspaceRig(ALL);
    await rig.begin();
    deepEqual((await rig.call("run_terminal", { command: "kill -KILL $$" })).structured, {
      stdout: "",
      stderr: "",
      code: null,
      note: "It was terminated by SIGKILL.",
    });
  });

  test("requests permission with the command line", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = (_, { toolCall }) => {
      const { title, kind, rawInput } = objectOr(toolCall);
      deepEqual(
        { title, kind, rawInput },
        { title: "Run touch a", kind: "execute", rawInput: { command: "touch a", cwd: rig.cwd } },
      );
      ok(!existsSync(rig.at("a")));
      return choosing("deny");
    };
    match(await rig.failure("run_terminal", { command: "touch a" }), /The user did not allow this: Run touch a\./);
    ok(!existsSync(rig.at("a")));
  });

  test("is rejected without a request if invalid", async () => {
    await using rig = new WorkspaceRig();
    rig.put("file");
    await rig.begin();
    equal(await rig.failure("run_terminal", { command: " " }), "The command is missing or empty.");
    for (const timeout of [0, -1, 600_001])
      equal(
        await rig.failure("run_terminal", { command: "true", timeout }),
        "The timeout must be from 1 to 600000 milliseconds.",
      );
    for (const cwd of ["file", "none"])
      equal(
        await rig.failure("run_terminal", { command: "true", cwd }),
        `${cwd} is not a folder: a command cannot run there.`,
      );
    deepEqual(rig.asked, []);
  });

  test("uses the platform's shell and reports a failed start", async () => {
    const specs: unknown[] = [],
      clock = new FakeClock(),
      shell = (platform: string, env = {}) =>
        nodeCommands({
          clock,
          platform,
          environment: async () => env,
          run: async ({ command, args }) => {
            specs.push([command, ...args]);
            throw new AgentError("notFound", "There is no shell.");
          },
        });
    for (const commands of [shell("linux"), shell("win32"), shell("win32", { ComSpec: "C:\\cmd.exe" })]) {
      equal(
        await commands
          .run({ command: "dir", cwd: "/", timeoutMs: 1 }, never, () => undefined)
          .catch((error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : "")),
        "ToolFailure: There is no shell.",
      );
    }
    deepEqual(
      [specs, clock.waiting],
      [
        [
          ["/bin/sh", "-c", "dir"],
          ["cmd.exe", "/d", "/s", "/c", "dir"],
          ["C:\\cmd.exe", "/d", "/s", "/c", "dir"],
        ],
        0,
      ],
    );
  });
});

suite("command in a client terminal", () => {
  /** A client with terminals. The test decides when their commands end. */
  async function terminals(
    rig: WorkspaceRig,
    play: Partial<Readonly<Record<string, (params: JsonObject) => unknown>>> = {},
  ): Promise<void> {
    await rig.begin(EDITOR);
    rig.answer = ({ method }, params) => {
      const played = play[method];
      if (played) return played(params);
      switch (method) {
        case "terminal/create":
          return { terminalId: "t1" };
        case "terminal/wait_for_exit":
          return { exitCode: 2, signal: null };
        case "terminal/output":
          return { output: "printed\r\n", truncated: false };
        default:
          return {};
      }
    };
  }

  test("is created, displayed, awaited, read and released", async () => {
    await using rig = new WorkspaceRig(ALL);
    const created: JsonObject[] = [];
    await terminals(rig, {
      "terminal/create": params => {
        created.push(params);
        return { terminalId: "t1" };
      },
    });
    deepEqual((await rig.call("run_terminal", { command: "make it" })).structured, {
      stdout: "printed\n",
      stderr: "",
      code: 2,
    });
    await rig.came.times(4);
    deepEqual(rig.asked, ["terminal/create", "terminal/wait_for_exit", "terminal/output", "terminal/release"]);
    deepEqual(created, [
      { sessionId: "s1", command: "/bin/sh", args: ["-c", "make it"], cwd: rig.cwd, outputByteLimit: 1024 * 1024 },
    ]);
    ok(rig.updates.some(({ content }) => JSON.stringify(content) === `[{"type":"terminal","terminalId":"t1"}]`));
    deepEqual(rig.cards, ["Run make it failed"]);
    ok(
      rig.requests.every(({ method, params }) => method === "terminal/create" || objectOr(params).terminalId === "t1"),
    );
  });

  test("is killed at the time limit and returns the output so far", async () => {
    const clock = new FakeClock();
    await using rig = new WorkspaceRig(ALL, { clock });
    await terminals(rig, {
      "terminal/wait_for_exit": () => undefined,
      "terminal/output": () => ({ output: "begun\n", truncated: true }),
    });
    const call = rig.call("run_terminal", { command: "forever" });
    await rig.came.times(2);
    clock.advance(30_000);
    const { structured, isError } = await call;
    deepEqual(
      [structured, isError],
      [
        {
          stdout: "[The beginning is omitted.]\nbegun\n",
          stderr: "",
          code: null,
          note: "The command did not exit within 30000 ms and was stopped with all its child processes. Use a longer timeout or a shorter command.",
        },
        true,
      ],
    );
    await eventually(() => rig.asked.includes("terminal/release"), "its release");
    deepEqual(
      rig.asked.filter(method => !method.startsWith("withdrawn")),
      ["terminal/create", "terminal/wait_for_exit", "terminal/kill", "terminal/output", "terminal/release"],
    );
    equal(clock.waiting, 0, "a timer was leaked");
  });

  test("is abandoned if the client does not respond to kill", async () => {
    const clock = new FakeClock();
    await using rig = new WorkspaceRig(ALL, { clock });
    await terminals(rig, { "terminal/wait_for_exit": () => undefined, "terminal/kill": () => undefined });
    const call = rig.call("run_terminal", { command: "forever", timeout: 10 });
    await rig.came.times(2);
    clock.advance(10);
    await eventually(() => rig.asked.includes("terminal/kill"), "the kill");
    clock.advance(5_000);
    deepEqual(objectOr((await call).structured).code, null);
    equal(clock.waiting, 0);
  });

  test("is released when its call is cancelled, also during its start", async () => {
    for (const when of ["terminal/wait_for_exit", "terminal/create"]) {
      await using rig = new WorkspaceRig(ALL);
      await terminals(rig, { [when]: () => undefined });
      const abort = new AbortController(),
        call = rig.call("run_terminal", { command: "forever" }, { signal: abort.signal }).catch(() => "withdrawn");
      await eventually(() => rig.asked.includes(when), when);
      abort.abort();
      equal(await call, "withdrawn");
      if (when === "terminal/create") rig.requests.at(-1)?.respond({ terminalId: "t1" });
      await eventually(() => rig.asked.includes("terminal/release"), "its release");
    }
  });

  test("reports a failed start and a lost terminal", async () => {
    await using rig = new WorkspaceRig(ALL);
    const no = (): never => {
      throw new RpcError(RpcCode.internalError, "No room.");
    };
    await terminals(rig, { "terminal/create": no });
    equal(await rig.failure("run_terminal", { command: "x" }), "The command could not be started: No room.");
    rig.answer = () => ({});
    equal(
      await rig.failure("run_terminal", { command: "x" }),
      "The command could not be started: the editor opened no terminal.",
    );
    rig.answer = ({ method }) => (method === "terminal/create" ? { terminalId: "t" } : no());
    equal(await rig.failure("run_terminal", { command: "x" }), "The terminal was lost: No room.");
    deepEqual(new Set(rig.cards), new Set(["Run x failed"]));
  });

  test("writes files on disk if the client supports only terminals", async () => {
    await using rig = new WorkspaceRig(ALL);
    await rig.begin({ terminal: true });
    await rig.call("write_file", { path: "a", content: "x" });
    deepEqual([rig.asked, readFileSync(rig.at("a"), "utf8")], [[], "x"]);
  });
});
