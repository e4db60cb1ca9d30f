/** Permission requests: their content, the effect of each answer, and the scope of a standing approval. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { objectOr, arrayOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { eventually } from "../../testing/eventually";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { connected, HTTP_AGENT } from "../../testing/mcp/mcp-fixture";
import { choosing, WorkspaceRig } from "../../testing/extensions/workspace-rig";
import { PROGRESS_MS } from "../../mcp/progress";
import { isGuarded } from "./folders";

const write = (rig: WorkspaceRig, file: string, content = "x") => rig.call("write_file", { path: file, content });

suite("workspace consent", () => {
  test("applies to one action", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => choosing("allow");
    await write(rig, "a");
    await write(rig, "b");
    deepEqual(rig.asked, ["Make a", "Make b"]);
  });

  test("performs nothing after a denial, an error or an unknown option", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    for (const [answer, sentence] of [
      [choosing("deny"), "The user did not allow this: Make a. Do not try it in another way; ask what to do instead."],
      [{ outcome: { outcome: "cancelled" } }, "The user did not allow this: Make a. The question was not answered."],
      [choosing("other"), "The user did not allow this: Make a. Do not try it in another way; ask what to do instead."],
      [{}, "The user did not allow this: Make a. The question was not answered."],
    ] as const) {
      rig.answer = () => answer;
      equal(await rig.failure("write_file", { path: "a", content: "x" }), sentence);
    }
    rig.answer = () => {
      throw new RpcError(RpcCode.requestCancelled, "The session was closed.");
    };
    equal(
      await rig.failure("write_file", { path: "a", content: "x" }),
      "The user did not allow this: Make a. The question was not answered: The session was closed.",
    );
    rig.answer = () => {
      throw new RpcError(RpcCode.methodNotFound, "?");
    };
    equal(
      await rig.failure("write_file", { path: "a", content: "x" }),
      "This was not done: Make a. The editor cannot ask its user for permission.",
    );
    ok(!existsSync(rig.at("a")));
    deepEqual(new Set(rig.cards), new Set(["Make a failed"]));
  });

  test("applies a standing approval to the tool in the session and still shows the calls", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => choosing("always");
    await write(rig, "a");
    rig.answer = () => choosing("deny");
    equal((await write(rig, "b")).isError, false);
    equal((await rig.call("edit_file", { path: "b", old_string: "x", new_string: "y" })).isError, true, "another tool");
    deepEqual(
      [rig.asked, rig.cards],
      [
        ["Make a", "Edit b"],
        ["Make a completed", "Make b completed", "Edit b failed"],
      ],
    );
    const {
      servers: [, second],
    } = await rig.fixture.setup("session/new", {
      cwd: rig.cwd,
      mcpServers: [{ name: "other", command: "x", args: [], env: [] }],
    });
    equal(second?.name, "workspace-tools-2");
  });

  test("applies a standing approval of a command to that exact line and folder", async () => {
    await using rig = new WorkspaceRig();
    rig.put("sub/x");
    await rig.begin();
    rig.answer = (_, { options }) => {
      equal(objectOr(arrayOr(options)[1]).name, "Always Allow This Command (This Session)");
      return choosing("always");
    };
    for (const [command, cwd] of [
      ["echo a", "."],
      ["echo a", "."],
      ["echo a ", "."],
      ["echo a; echo b", "."],
      ["echo a", "sub"],
      ["echo a", "."],
    ] as const)
      await rig.call("run_terminal", { command, cwd });
    deepEqual(rig.asked, ["Run echo a", "Run echo a ", "Run echo a; echo b", "Run echo a in sub"]);
  });

  test("offers no standing approval in folders that control other programs", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => choosing("always");
    await write(rig, "a");
    rig.answer = (_, { options }) => {
      deepEqual(
        arrayOr(options).map(option => objectOr(option).kind),
        ["allow_once", "reject_once"],
      );
      return choosing("allow");
    };
    for (const file of [".git/hooks/pre-commit", "sub/.vscode/tasks.json", ".GIT/config", "x.code-workspace"])
      equal((await write(rig, file)).isError, false, file);
    rig.answer = () => choosing("always");
    match((await write(rig, ".git/config")).text, /did not allow/, "nobody offered that");
    equal(rig.asked.length, 6);
  });

  test("detects guarded folders in any spelling", () => {
    const guarded = (...files: readonly string[]): readonly string[] =>
      files.filter(file => isGuarded({ real: path.join("/w", file), shown: file, folder: "/w" }));
    const all = [
      ".git",
      "a/.Git/x",
      ".vscode. ./tasks.json",
      ".git::$INDEX_ALLOCATION/config",
      ".g\u200cit/config",
      ".vscode /x",
      "a/X.Code-Workspace",
      "x.code-workspace.",
    ];
    deepEqual(guarded(...all), all);
    deepEqual(
      guarded(
        ".gitignore",
        ".github/w.yml",
        "x.vscode",
        "git/x",
        ".git.x/y",
        "x.code-workspace/y",
        "x.code-workspaces",
      ),
      [],
    );
  });

  test("queues requests that the answer to a pending request may settle", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => undefined;
    const calls = ["a", "b", "c"].map(name => write(rig, name));
    await rig.came.times(1);
    equal(rig.asked.length, 1);
    rig.requests[0]?.respond(choosing("always"));
    deepEqual(
      (await Promise.all(calls)).map(({ isError }) => isError),
      [false, false, false],
    );
    equal(rig.asked.length, 1);
  });

  test("sends queued requests one by one after a one-time answer", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => choosing("allow");
    deepEqual(
      (await Promise.all(["a", "b", "c"].map(name => write(rig, name)))).map(({ isError }) => isError),
      [false, false, false],
    );
    deepEqual([...rig.asked].sort(), ["Make a", "Make b", "Make c"]);
  });

  test("is not requested if the settings approve all, and calls are still shown", async () => {
    await using rig = new WorkspaceRig({ approve: "all" });
    await rig.begin();
    await write(rig, ".git/config");
    await rig.call("run_terminal", { command: "echo a" });
    deepEqual([rig.asked, rig.cards], [[], ["Make .git/config completed", "Run echo a completed"]]);
  });

  test("is requested and a warning logged for an invalid setting", async () => {
    for (const approve of ["ALL", true, ["all"]]) {
      await using rig = new WorkspaceRig({ approve });
      await rig.begin();
      rig.answer = () => choosing("deny");
      await write(rig, "a");
      deepEqual(
        [rig.asked, rig.extension.logged],
        [["Make a"], ["warn: The setting “approve” of the extension workspace is invalid; its default is used"]],
      );
    }
  });

  test("is cancelled with its call, also while it waits for another", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => undefined;
    const first = new AbortController(),
      second = new AbortController();
    const begin = (path: string, { signal }: AbortController): Promise<unknown> =>
      rig.call("write_file", { path, content: "x" }, { signal }).catch(() => "withdrawn");
    const asked = begin("f0", first);
    await rig.came.times(1);
    const waiting = begin("f1", second);
    await eventually(() => rig.updates.some(({ title }) => title === "Make f1"), "the second one");
    second.abort();
    first.abort();
    deepEqual(await Promise.all([asked, waiting]), ["withdrawn", "withdrawn"]);
    await rig.came.times(2);
    deepEqual(rig.asked, ["Make f0", "withdrawn session/request_permission"]);
    rig.answer = () => choosing("allow");
    equal((await write(rig, "f2")).isError, false, "nobody waits for those");
    ok(!existsSync(rig.at("f0")) && !existsSync(rig.at("f1")));
  });

  test("is cancelled with its turn, but not in other sessions", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => undefined;
    const call = rig.failure("write_file", { path: "a", content: "x" });
    await rig.came.times(1);
    rig.fixture.client.notify("session/cancel", { sessionId: "another" });
    rig.fixture.client.notify("session/cancel", { sessionId: "s1" });
    equal(await call, "The turn was stopped.");
    deepEqual(
      [rig.asked, rig.fixture.agentReceived.map(({ method }) => method)],
      [
        ["Make a", "withdrawn session/request_permission"],
        ["session/cancel", "session/cancel"],
      ],
    );
    rig.answer = () => choosing("allow");
    equal((await write(rig, "a")).isError, false, "the next one is asked about as ever");
    deepEqual(rig.fixture.warnings, []);
  });

  test("is cancelled when the session closes", async () => {
    await using rig = new WorkspaceRig();
    await rig.begin();
    rig.answer = () => undefined;
    const call = rig.call("write_file", { path: "a", content: "x" }).then(
      ({ text }) => text,
      () => "gone",
    );
    await rig.came.times(1);
    await rig.fixture.client.request("session/close", { sessionId: "s1" });
    ok(["The session has ended.", "gone"].includes(await call));
    deepEqual(rig.asked, ["Make a", "withdrawn session/request_permission"]);
  });

  test("sends progress to the agent while the request is open", async () => {
    const clock = new FakeClock();
    await using rig = new WorkspaceRig({}, { clock });
    await rig.begin();
    rig.answer = () => undefined;
    const received: string[] = [];
    let onNotification = (): void => undefined;
    const next = async (): Promise<void> =>
      new Promise(resolve => {
        onNotification = resolve;
      });
    const first = next(),
      call = rig.call(
        "write_file",
        { path: "a", content: "x" },
        {
          onprogress: ({ message = "" }) => {
            received.push(message);
            onNotification();
          },
        },
      );
    await rig.came.times(1);
    await first;
    for (let i = 0; i < 3; i++) {
      const beat = next();
      clock.advance(PROGRESS_MS);
      await beat;
    }
    deepEqual(received, Array(4).fill("Waiting for the user to allow: Make a"));
    rig.requests[0]?.respond(choosing("allow"));
    await call;
    equal(readFileSync(rig.at("a"), "utf8"), "x");
  });

  test("uses version 2's form for a version 2 client", async () => {
    await using rig = new WorkspaceRig({}, {}, { initialized: { ...HTTP_AGENT, protocolVersion: 2 } });
    await rig.begin();
    rig.answer = (_, params) => {
      const { type, toolCall } = objectOr(params.subject);
      deepEqual(
        [params.title, type, objectOr(toolCall).title, "toolCall" in params],
        ["Make a", "tool_call", "Make a", false],
      );
      return choosing("allow");
    };
    equal((await write(rig, "a")).isError, false);
    deepEqual(new Set(rig.updates.map(({ sessionUpdate }) => sessionUpdate)), new Set(["tool_call_update"]));
  });

  test("rejects calls before the session is set up", async () => {
    let text = "";
    await using rig = new WorkspaceRig(
      {},
      {},
      {
        agent: request => {
          if (request.method !== "session/new") return false;
          const [server] = arrayOr(objectOr(request.params).mcpServers);
          void connected(objectOr(server)).then(async client => {
            text = String(
              objectOr(
                arrayOr(
                  (await client.callTool({ name: "write_file", arguments: { path: "a", content: "x" } })).content,
                )[0],
              ).text,
            );
            await client.close();
            request.respond({ sessionId: "s" });
          });
          return true;
        },
      },
    );
    await rig.begin();
    equal(text, "The session is still being set up. Try again after it has started.");
    ok(!existsSync(rig.at("a")));
  });
});
