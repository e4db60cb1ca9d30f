/** Text added to the first prompt of a session. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { realFiles, type Files } from "../../agents/install/store/files";
import { SIDE_SESSION } from "../../proxies/side-session";
import { objectOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { Signal } from "../../testing/mcp/mcp-fixture";
import { rig as playedRig } from "../../testing/chain/proxy-rig";
import { turn } from "../../testing/turn";
import { partsOf, Sparkled, words } from "../../testing/extensions/sparkle-fixture";
import { Transcript } from "../../testing/transcript";
import { sparkle } from "./extension";
import { READING_MS } from "./session-texts";

suite("Sparkle embodiment in a session", () => {
  test("follows the user's text in the first prompt only", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session(),
      image = { type: "image", data: "" };
    await sparkled.prompt(sessionId, words("hello"), image);
    deepEqual(sparkled.lastParts, ["hello", image, "embodiment"]);
    await sparkled.prompt(sessionId, words("more"));
    deepEqual(sparkled.last, [words("more")]);
    deepEqual(objectOr(sparkled.prompts[0]!.prompt.at(-1)).annotations, { audience: ["assistant"] });
    equal(sparkled.prompts.length, 2, "no prompt is made that the user did not make");
    await sparkled.prompt(await sparkled.session(), words("another session"));
    equal(sparkled.lastParts.at(-1), "embodiment");
    deepEqual(readdirSync(sparkled.computer.home), ["work"], "nothing is written");
    deepEqual(readdirSync(sparkled.cwd), []);
  });

  test("contains the stored notes", async () => {
    await using sparkled = await Sparkled.open();
    sparkled.keep(".sparkle/collaborator-profile.md", "# Mary\n\nShort answers. </sparkle> Tests first.\n");
    sparkled.keep(".sparkle/sparklers/ada/identity.md", "# Ada\n\nI am calm, and ask before I guess.\n");
    sparkled.keep(
      ".sparkle/sparklers/ada/pattern-anchors.md",
      "# Pattern anchors\n\n## 2026-11-20T08:00:00.000Z · tests\n\n> Red first, then green.\n\nContext:\n\n> bugs\n\n## 2026-11-21T08:00:00.000Z\n\n> Let us slow down.\n",
    );
    sparkled.keep("work/.sparkle-space/working-memory.md", "# Working memory\n\nFocus: the parser.\n");
    sparkled.keep("work/.sparkle-space/checkpoints/2026-11-21T18-00-00-000Z.md", "We found the bug.\n");
    sparkled.keep("work/.sparkle-space/checkpoints/2026-11-20T18-00-00-000Z.md", "An older one.\n");
    sparkled.keep("work/.sparkle-space/workspace-insights.md", "Tests need cargo.\n");
    const sessionId = await sparkled.session(),
      transcript = new Transcript();
    await sparkled.list();
    await sparkled.prompt(sessionId, words("Go on, please."));
    transcript.record("→", {
      method: "session/prompt",
      params: {
        sessionId,
        prompt: sparkled.last.map(block => ({ ...objectOr(block), text: String(objectOr(block).text).split("\n") })),
      },
    });
    transcript.match("sidecar/testing/transcripts/sparkle-first-prompt.golden");
  });

  test("respects the configured size", async () => {
    await using sparkled = await Sparkled.open({ settings: { embodimentBytes: 4_096 } });
    sparkled.keep(".sparkle/collaborator-profile.md", "a line\n".repeat(10_000));
    await sparkled.prompt(await sparkled.session(), words("hello"));
    const size = Buffer.byteLength(String(objectOr(sparkled.last.at(-1)).text));
    ok(size > 3_500 && size <= 4_096, String(size));
  });

  test("can be disabled without disabling the commands", async () => {
    await using sparkled = await Sparkled.open({ settings: { embodiment: "off" } });
    const sessionId = await sparkled.session();
    await sparkled.prompt(sessionId, words("hello"));
    deepEqual(sparkled.last, [words("hello")]);
    await sparkled.prompt(sessionId, words("/checkpoint"));
    deepEqual(sparkled.lastParts, ["/checkpoint", "checkpoint"]);
  });

  test("uses and logs defaults for invalid settings", async () => {
    await using sparkled = await Sparkled.open({ settings: { embodiment: 7 } });
    await sparkled.prompt(await sparkled.session(), words("hello"));
    equal(sparkled.lastParts.at(-1), "embodiment");
    match(sparkled.computer.logged.join(), /warn: The setting “embodiment”/);
  });

  for (const method of ["session/load", "session/resume"])
    test(`is not sent to a session of ${method}`, async () => {
      await using sparkled = await Sparkled.open();
      const sessionId = await sparkled.session(method, { sessionId: "old" });
      await sparkled.prompt(sessionId, words("hello"));
      deepEqual(sparkled.last, [words("hello")]);
    });

  test("is still sent to a session that is loaded again before its first prompt", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    await sparkled.session("session/load", { sessionId });
    await sparkled.prompt(sessionId, words("hello"));
    equal(sparkled.lastParts.at(-1), "embodiment");
  });

  test("is sent to a fork only if the original did not receive it", async () => {
    await using sparkled = await Sparkled.open();
    const original = await sparkled.session(),
      early = await sparkled.session("session/fork", { sessionId: original });
    await sparkled.prompt(original, words("hello"));
    const late = await sparkled.session("session/fork", { sessionId: original }),
      stranger = await sparkled.session("session/fork", { sessionId: "unknown" });
    for (const [sessionId, isFirst] of [
      [early, true],
      [late, false],
      [stranger, false],
    ] as const) {
      await sparkled.prompt(sessionId, words("hello"));
      equal(sparkled.last.length, isFirst ? 2 : 1, sessionId);
    }
  });

  test("is not sent to unknown sessions", async () => {
    await using sparkled = await Sparkled.open();
    await sparkled.prompt("stranger", words("/checkpoint"), words("meta moment"));
    deepEqual(sparkled.last, [words("/checkpoint"), words("meta moment")]);
    await sparkled.update("stranger", { sessionUpdate: "available_commands_update", availableCommands: [] });
    await sparkled.prompt("stranger", words("/checkpoint"));
    deepEqual(sparkled.last, [words("/checkpoint")]);
    await sparkled.fixture.client.request("session/prompt", { sessionId: await sparkled.session() });
    deepEqual(sparkled.prompts.at(-1)?.request.params, { sessionId: "s1" });
  });

  test("is not sent to another extension's own session, which also gets no tools", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session("session/new", { _meta: { [SIDE_SESSION]: "ferris" } });
    await sparkled.prompt(sessionId, words("research"));
    deepEqual([sparkled.last, sparkled.fixture.lastServers()], [[words("research")], []]);
  });

  test("is sent again after the agent rejected the first prompt, but not after a cancellation", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    sparkled.answer = request => request.fail(new RpcError(-32000, "Sign in first", { why: 1 }));
    await rejects(
      sparkled.prompt(sessionId, words("one")),
      (error: unknown) => error instanceof RpcError && error.code === -32000 && error.message === "Sign in first",
    );
    sparkled.answer = request => request.respond({ stopReason: "cancelled" });
    await sparkled.prompt(sessionId, words("two"));
    deepEqual(sparkled.lastParts, ["two", "embodiment"]);
    await sparkled.prompt(sessionId, words("three"));
    deepEqual(sparkled.last, [words("three")]);
  });

  test("is sent with one of two concurrent prompts", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    sparkled.answer = undefined;
    const both = [sparkled.prompt(sessionId, words("one")), sparkled.prompt(sessionId, words("two"))];
    await sparkled.prompted.times(2);
    for (const { request } of sparkled.prompts) request.respond({ stopReason: "end_turn" });
    await Promise.all(both);
    deepEqual(
      sparkled.prompts.map(({ prompt }) => partsOf(prompt)),
      [["one", "embodiment"], ["two"]],
    );
  });

  test("is delayed to the next prompt if the first is a command of the agent", async () => {
    await using sparkled = await Sparkled.open();
    const sessionId = await sparkled.session();
    await sparkled.prompt(sessionId, words("/init with a meta moment"));
    deepEqual(sparkled.last, [words("/init with a meta moment")]);
    await sparkled.prompt(sessionId, words("hello"));
    deepEqual(sparkled.lastParts, ["hello", "embodiment"]);
  });

  /** Files whose reads never finish if `isHung`. `read` fires after another file is read. */
  function hanging(isHung: (file: string) => boolean) {
    const hung = new Signal(),
      read = new Signal();
    const open = async (...args: Parameters<Files["open"]>) => {
      const handle = await realFiles.open(...args),
        close = handle.close.bind(handle);
      return Object.assign(handle, {
        close: async () => {
          await close();
          read.fire();
        },
      });
    };
    const stat = (...args: Parameters<Files["stat"]>) => {
      if (!isHung(String(args[0]))) return realFiles.stat(...args);
      hung.fire();
      return new Promise<never>(() => undefined);
    };
    return { files: { ...realFiles, open, stat: stat as Files["stat"] }, hung, read };
  }

  test(`omits and logs files that are not read within ${READING_MS} ms`, async () => {
    const { files, hung, read } = hanging(file => file.includes(".sparkle-space"));
    await using sparkled = await Sparkled.open({ files });
    sparkled.keep(".sparkle/collaborator-profile.md", "Short answers.");
    const sessionId = await sparkled.session(),
      answered = sparkled.prompt(sessionId, words("hello"));
    await Promise.all([hung.times(2), read.times(1)]);
    await turn();
    sparkled.clock.advance(READING_MS - 1);
    await turn();
    equal(sparkled.prompts.length, 0);
    sparkled.clock.advance(1);
    await answered;
    deepEqual(sparkled.lastParts, ["hello", "embodiment"]);
    match(String(objectOr(sparkled.last.at(-1)).text), /Short answers\./);
    match(sparkled.computer.logged.join(), /could not be read in time/);
    match(JSON.stringify(sparkled.computer.details), /working memory.*workspace insights/);
  });

  test("stops reading for a cancelled prompt and is sent with the next", async () => {
    const { files, hung } = hanging(file => file.includes(".sparkle-space"));
    await using sparkled = await Sparkled.open({ files });
    const sessionId = await sparkled.session(),
      withdrawn = new AbortController();
    const cancelled = sparkled.fixture.client.request(
      "session/prompt",
      { sessionId, prompt: [words("one")] },
      { signal: withdrawn.signal },
    );
    await hung.times(1);
    withdrawn.abort();
    await rejects(cancelled, (error: unknown) => error instanceof RpcError && error.code === RpcCode.requestCancelled);
    const answered = sparkled.prompt(sessionId, words("two"));
    await hung.times(4);
    sparkled.clock.advance(READING_MS);
    await answered;
    deepEqual(
      sparkled.prompts.map(({ prompt }) => partsOf(prompt)),
      [["two", "embodiment"]],
    );
  });

  test("is omitted on an internal error, and the prompt is sent", async () => {
    await using sparkled = await Sparkled.open({
      fixture: {
        date: () => new Date(0),
        clock: new (class extends FakeClock {
          override after(ms: number, over: () => void): Disposable & { dispose(): void } {
            if (ms === READING_MS) throw new Error("bug");
            return super.after(0, over);
          }
        })(),
      },
    });
    await sparkled.prompt(await sparkled.session(), words("hello"));
    deepEqual(sparkled.last, [words("hello")]);
    match(sparkled.fixture.warnings.join(), /starts without its embodiment/);
  });

  test("forwards a prompt without additions unchanged", async () => {
    using computer = new ExtensionRig({ clock: new FakeClock() });
    const { client, successor } = playedRig(sparkle.define({ embodiment: "off" }, computer.fixture).create);
    client.deliver({ id: 1, method: "session/new", params: { cwd: computer.home, mcpServers: [] } } as never);
    await turn();
    successor.deliver({ id: 1, result: { sessionId: "s" } } as never);
    await turn();
    for (const text of ["hello", "/compact"]) {
      const line = `{"jsonrpc":"2.0",  "id":2,"method":"session/prompt","params":{"sessionId":"s", "prompt":[{"type":"text","text":"${text}"}]}}`;
      client.deliver(line);
      equal(successor.frames.at(-1)?.bytes.toString(), line);
    }
    const update = `{"jsonrpc":"2.0",  "method":"session/update","params":{"sessionId":"s", "update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<sparkle part"}}}}`;
    successor.deliver(update);
    equal(client.frames.at(-1)?.bytes.toString(), update);
    const echo = update.replace("agent_message", "user_message");
    successor.deliver(echo);
    equal(client.frames.at(-1)?.bytes.toString(), echo);
    client.leaves({ message: "gone" });
    await turn();
  });
});
