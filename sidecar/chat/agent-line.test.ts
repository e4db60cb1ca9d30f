import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { Entry } from "../../src/protocol/chat";
import type { ElicitationChoice } from "../../src/protocol/elicitation";
import { RpcError } from "../rpc/message";
import { NEVER, World } from "../testing/chat-world";

suite("a session and its agent: questions, choices, files", () => {
  test("a question is shown, answered once, and the agent hears which option", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    const turn = await world.agents[0]!.next("session/prompt");
    const asked = world.agents[0]!.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: { toolCallId: "t", title: "rm" },
      options: [
        { optionId: "y", name: "Yes", kind: "allow_once" },
        { optionId: "n", name: "No", kind: "reject_once" },
      ],
    });
    await world.settle();
    const card = world.entries(id).find(entry => entry.kind === "permission");
    ok(card);
    const answer = world.service.handlers["chat/answerPermission"];
    await answer({ sessionId: id, permissionId: card.id, choice: { kind: "option", optionId: "n" } }, NEVER);
    await answer({ sessionId: id, permissionId: card.id, choice: { kind: "option", optionId: "y" } }, NEVER);
    deepEqual(await asked, { outcome: { outcome: "selected", optionId: "n" } });
    await rejects(
      world.agents[0]!.peer.request("session/request_permission", {
        sessionId: "s1",
        options: [{ name: "an option without an id" }],
      }),
      { code: -32602 },
    );
    turn.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.story(id), ["user go", "tool rm cancelled", "permission selected"]);
  });

  test("bypass counts at once for every tab of the agent, and is kept in the settings", async () => {
    await using world = new World();
    const [a, b] = [await world.open(), await world.open()];
    await Promise.all([world.prompt(a, "A"), world.prompt(b, "B")]);
    const [agent] = world.agents;
    const ask = (sessionId: string) =>
      agent!.peer.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t" },
        options: [
          { optionId: "always", name: "Always", kind: "allow_always" },
          { optionId: "y", name: "Yes", kind: "allow_once" },
        ],
      });
    await agent!.next("session/prompt");
    await agent!.next("session/prompt");
    const first = ask("s1");
    await world.settle();
    const card = world.entries(a).find(entry => entry.kind === "permission");
    equal(card?.kind, "permission");
    await world.service.handlers["chat/bypass"]({ sessionId: a, until: "revoked" }, NEVER);
    deepEqual(
      [await first, await ask("s2")],
      [{ outcome: { outcome: "selected", optionId: "y" } }, { outcome: { outcome: "selected", optionId: "y" } }],
    );
    deepEqual(world.told, ["bypass ada"]);
  });

  test("a bypass of one session counts there alone, is not kept, and ends with it", async () => {
    await using world = new World();
    const [a, b] = [await world.open(), await world.open()];
    await Promise.all([world.prompt(a, "A"), world.prompt(b, "B")]);
    const [agent] = world.agents;
    const ask = (sessionId: string) =>
      agent!.peer.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t" },
        options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
      });
    await agent!.next("session/prompt");
    await agent!.next("session/prompt");
    await world.service.handlers["chat/bypass"]({ sessionId: a, until: "sessionEnds" }, NEVER);
    deepEqual(await ask("s1"), { outcome: { outcome: "selected", optionId: "y" } });
    const other = ask("s2");
    await world.settle();
    deepEqual(
      [world.story(b).at(-1), world.shown.get(a)?.bypassed, world.shown.get(b)?.bypassed, world.told],
      ["permission open", true, undefined, []],
    );
    await world.service.handlers["chat/endBypass"]({ sessionId: a }, NEVER);
    const asked = ask("s1");
    await world.settle();
    deepEqual([world.story(a).at(-1), world.shown.get(a)?.bypassed], ["permission open", undefined]);
    for (const sessionId of [a, b]) await world.service.handlers["chat/close"]({ sessionId }, NEVER);
    deepEqual(
      [await asked, await other],
      [{ outcome: { outcome: "cancelled" } }, { outcome: { outcome: "cancelled" } }],
    );
    const again = await world.open({ shown: [{ kind: "user", id: "u", text: "before" }], why: "It was restarted." });
    world.service.handlers["chat/replay"]({ sessionId: again, asked: 1 });
    await world.settle();
    equal(
      world.shown.get(again)?.bypassed,
      undefined,
      "a session that goes on with an earlier one's entries asks again",
    );
  });

  test("a question that is withdrawn before anybody has seen it is not asked", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    await world.agents[0]!.next("session/prompt");
    const { peer } = world.agents[0]!;
    const asked = ["session/request_permission", "elicitation/create"].map(method => {
      const withdraw = new AbortController();
      const refused = rejects(
        peer.request(
          method,
          { sessionId: "s1", options: [{ optionId: "y" }], mode: "form", message: "m", requestedSchema: {} },
          { signal: withdraw.signal },
        ),
        { code: -32800 },
      );
      withdraw.abort(); // on the wire right behind its request
      return refused;
    });
    await Promise.all(asked);
    await world.settle();
    deepEqual(world.story(id), ["user go"]);
  });

  test("what was chosen for an agent before is set before its first prompt, in the order of its controls, as far as it is still on offer", async () => {
    await using world = new World();
    world.manual = ["session/new"];
    const id = await world.open({ controls: { model: "l", gone: "x", fast: true, effort: "none" } });
    await world.prompt(id, "go");
    await world.settle();
    const options = (model: string, fast: boolean): object => ({
      configOptions: [
        {
          id: "model",
          name: "Model",
          type: "select",
          currentValue: model,
          options: [
            { value: "s", name: "S" },
            { value: "l", name: "L" },
          ],
        },
        { id: "fast", name: "Fast", type: "boolean", currentValue: fast },
        { id: "effort", name: "Effort", type: "select", currentValue: "low", options: [{ value: "low", name: "Low" }] },
      ],
    });
    (await world.agents[0]!.next("session/new")).respond({ sessionId: "s1", ...options("s", false) });
    const first = await world.agents[0]!.next("session/set_config_option");
    deepEqual(first.params, { sessionId: "s1", configId: "model", value: "l" });
    first.respond(options("l", false));
    const second = await world.agents[0]!.next("session/set_config_option");
    deepEqual(second.params, { sessionId: "s1", configId: "fast", type: "boolean", value: true });
    second.fail(new RpcError(-32603, "not today"));
    await world.agents[0]!.next("session/prompt");
    await world.settle();
    deepEqual(
      world.shown.get(id)?.controls.map(({ value }) => value),
      ["l", false, "low"],
    );
  });

  test("options that the agent tells right after its answer to session/new are the ones shown", async () => {
    await using world = new World();
    world.manual = ["session/new"];
    const id = await world.open(),
      option = (on: boolean) => [{ id: "fast", name: "Fast", type: "boolean", currentValue: on }];
    await world.settle();
    const [agent] = world.agents;
    (await agent!.next("session/new")).respond({ sessionId: "x", configOptions: option(false) });
    agent!.update("x", { sessionUpdate: "config_option_update", configOptions: option(true) });
    await world.settle();
    deepEqual(
      world.shown.get(id)?.controls.map(({ value }) => value),
      [true],
    );
  });

  test("options that the agent tells before an answer that has none stay", async () => {
    await using world = new World();
    world.manual = ["session/new"];
    const id = await world.open();
    await world.settle();
    const request = await world.agents[0]!.next("session/new");
    world.agents[0]!.update("x", {
      sessionUpdate: "config_option_update",
      configOptions: [{ id: "fast", name: "Fast", type: "boolean", currentValue: true }],
    });
    request.respond({ sessionId: "x" });
    await world.settle();
    deepEqual(
      world.shown.get(id)?.controls.map(({ value }) => value),
      [true],
    );
  });

  test("a control that is chosen is set, says what the agent made of it, and stays chosen when the agent is started anew", async () => {
    await using world = new World();
    world.manual = ["session/new"];
    const id = await world.open(),
      modes = {
        modes: {
          currentModeId: "ask",
          availableModes: [
            { id: "ask", name: "Ask" },
            { id: "code", name: "Code" },
          ],
        },
      };
    const set = (value: string) =>
      world.service.handlers["chat/setOption"]({ sessionId: id, controlId: "acp:mode", value }, NEVER);
    const mode = (): unknown => world.shown.get(id)?.controls[0]?.value;
    await world.settle();
    (await world.agents[0]!.next("session/new")).respond({ sessionId: "s1", ...modes });
    await world.settle();
    await set("code");
    (await world.agents[0]!.next("session/set_mode")).respond({});
    await world.settle();
    equal(mode(), "code");
    world.agents[0]!.update("s1", { sessionUpdate: "current_mode_update", currentModeId: "ask" });
    await world.settle();
    equal(mode(), "ask");
    await set("code");
    (await world.agents[0]!.next("session/set_mode")).fail(new RpcError(-32603, "not now"));
    await world.settle();
    equal(mode(), "ask");
    match(world.story(id).at(-1) ?? "", /“Mode” stays as it was\. .*not now/);
    deepEqual(world.told, ["acp:mode=code"], "kept is what the agent took");
    await set("code");
    (await world.agents[0]!.next("session/set_mode")).respond({});
    await world.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await world.settle();
    (await world.agents[1]!.next("session/new")).respond({ sessionId: "s1", ...modes });
    deepEqual((await world.agents[1]!.next("session/set_mode")).params, { sessionId: "s1", modeId: "code" });
  });

  test("a choice that had no answer when the agent was restarted is set in its next session; a refusal that comes after another choice changes nothing", async () => {
    await using world = new World();
    world.manual = ["session/new", "session/set_config_option"];
    const configOptions = [
      { id: "m", name: "M", type: "select", currentValue: "a", options: ["a", "b", "c"].map(value => ({ value })) },
    ];
    const id = await world.open();
    const opens = async (n: number): Promise<void> => {
      await world.settle();
      (await world.agents[n]!.next("session/new")).respond({ sessionId: "x", configOptions });
      await world.settle();
    };
    await opens(0);
    await world.service.handlers["chat/setOption"]({ sessionId: id, controlId: "m", value: "b" }, NEVER);
    await world.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await opens(1);
    const again = await world.agents[1]!.next("session/set_config_option");
    equal((again.params as { value: string }).value, "b");
    again.respond({});
    await world.settle();
    for (const value of ["a", "c"])
      await world.service.handlers["chat/setOption"]({ sessionId: id, controlId: "m", value }, NEVER);
    await world.settle();
    (await world.agents[1]!.next("session/set_config_option")).fail(new RpcError(-32602, "no"));
    (await world.agents[1]!.next("session/set_config_option")).respond({});
    await world.settle();
    deepEqual(
      world.shown.get(id)?.controls.map(({ value }) => value),
      ["c"],
    );
  });

  test("a form is answered by the user, a page is opened after consent, and what cannot be asked is refused", async () => {
    await using world = new World();
    const id = await world.open();
    await world.settle();
    const ask = (params: object) =>
      world.agents[0]!.peer.request("elicitation/create", { sessionId: "s1", message: "m", ...params });
    const answer = (choice: ElicitationChoice) => {
      const open = world.entries(id).find(entry => entry.kind === "elicitation" && !entry.answered);
      return world.service.handlers["chat/answerElicitation"](
        { sessionId: id, elicitationId: open?.id ?? "", choice },
        NEVER,
      );
    };
    const form = ask({
      mode: "form",
      requestedSchema: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] },
    });
    await world.settle();
    await answer({ kind: "accept", values: { age: 4 } });
    deepEqual(await form, { action: "accept", content: { age: 4 } });
    const page = ask({ mode: "url", url: "https://example.org/", elicitationId: "e" });
    await world.settle();
    await answer({ kind: "accept", values: {} });
    deepEqual([await page, world.told], [{ action: "accept" }, ["page https://example.org/"]]);
    world.agents[0]!.peer.notify("elicitation/complete", { elicitationId: "e" });
    await world.settle();
    deepEqual(
      world.entries(id).map(entry => (entry.kind === "elicitation" ? entry.answered?.kind : entry.kind)),
      ["accepted", "completed"],
    );
    await rejects(ask({ mode: "url", url: "file:///etc/passwd", elicitationId: "e" }), { code: -32602 });
    const open = ask({ mode: "form", requestedSchema: { properties: {} } });
    await world.settle();
    await world.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    deepEqual(await open, { action: "cancel" });
  });

  test("a question that belongs to a request in place of a session is asked where that request was made, or cancelled", async () => {
    await using world = new World();
    world.manual = ["session/new"];
    const id = await world.open();
    await world.settle();
    const opening = await world.agents[0]!.next("session/new");
    const ask = () =>
      world.agents[0]!.peer.request("elicitation/create", {
        requestId: 7,
        message: "Sign in",
        mode: "url",
        url: "https://example.org/",
        elicitationId: "e",
      });
    const asked = ask();
    await world.settle();
    const question = world.entries(id).find(entry => entry.kind === "elicitation");
    await world.service.handlers["chat/answerElicitation"](
      { sessionId: id, elicitationId: question!.id, choice: { kind: "accept", values: {} } },
      NEVER,
    );
    deepEqual(await asked, { action: "accept" });
    opening.respond({ sessionId: "s1" });
    await world.settle();
    deepEqual(await ask(), { action: "cancel" });
  });

  test("files are read and written through the host; one outside of the workspace only with consent, which the agent may withdraw", async () => {
    await using world = new World();
    const id = await world.open({ cwd: "/symposium/own", folders: ["/symposium/own", "/symposium/other"] });
    await world.prompt(id, "go");
    await world.agents[0]!.next("session/prompt");
    const ask = (method: string, params: object, signal?: AbortSignal) =>
      world.agents[0]!.peer.request(method, { sessionId: "s1", ...params }, signal ? { signal } : {});
    deepEqual(await ask("fs/read_text_file", { path: "/symposium/other/a", line: 2 }), {
      content: "of /symposium/other/a",
    });
    deepEqual(await ask("fs/write_text_file", { path: "/symposium/own/b", content: "x" }), {});
    await rejects(
      ask("fs/read_text_file", { path: "/symposium/own/missing" }),
      (error: unknown) =>
        error instanceof RpcError &&
        error.code === -32002 &&
        error.message.includes("Resource not found: /symposium/own/missing"),
    );
    await using other = new World();
    other.initialized = { protocolVersion: 1, agentInfo: { name: "gemini-cli" } };
    const its = await other.open({ cwd: "/symposium/own" });
    await other.prompt(its, "go");
    await other.agents[0]!.next("session/prompt");
    deepEqual(
      await other.agents[0]!.peer.request("fs/read_text_file", { sessionId: "s1", path: "/symposium/own/missing" }),
      { content: "" },
      "an agent that could not make it otherwise",
    );
    const outside = ask("fs/write_text_file", { path: "/symposium/elsewhere", content: "y" });
    const open = (): Entry | undefined =>
      world.entries(id).findLast(entry => entry.kind === "permission" && !entry.answered);
    await world.until(() => open() !== undefined);
    const card = open();
    equal(card?.kind === "permission" && card.title, "Write /symposium/elsewhere");
    await world.service.handlers["chat/answerPermission"](
      { sessionId: id, permissionId: card!.id, choice: { kind: "option", optionId: "once" } },
      NEVER,
    );
    deepEqual(await outside, {});
    deepEqual(world.told, ["write /symposium/own/b: x", "write /symposium/elsewhere: y"]);
    const withdraw = new AbortController(),
      withdrawn = rejects(ask("fs/read_text_file", { path: "/symposium/elsewhere" }, withdraw.signal), {
        code: -32800,
      });
    await world.until(() => open() !== undefined && open()?.id !== card!.id);
    withdraw.abort();
    await withdrawn;
    await world.until(() => open() === undefined);
    deepEqual(
      world.story(id).filter(line => line.startsWith("permission")),
      ["permission selected", "permission cancelled"],
    );
  });

  test("a question that the agent withdraws is settled on screen and answered as cancelled", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    await world.agents[0]!.next("session/prompt");
    const withdraw = new AbortController();
    const asked = world.agents[0]!.peer.request(
      "session/request_permission",
      { sessionId: "s1", toolCall: {}, options: [{ optionId: "y", name: "Yes", kind: "allow_once" }] },
      { signal: withdraw.signal },
    );
    const refused = rejects(asked, { code: -32800 });
    await world.settle();
    withdraw.abort();
    await refused;
    await world.settle();
    deepEqual(world.story(id).slice(-1), ["permission cancelled"]);
  });

  test("an agent that dies with a question open did not withdraw it", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    await world.agents[0]!.next("session/prompt");
    world.agents[0]!.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: {},
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    }).catch(() => undefined);
    await world.settle();
    await world.agents[0]!.die();
    await world.settle();
    const card = world.entries(id).find(entry => entry.kind === "permission");
    deepEqual(card?.answered, { kind: "cancelled", why: "the agent stopped" });
  });

  test("a question none of whose options can be chosen is refused", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    await world.agents[0]!.next("session/prompt");
    await rejects(
      world.agents[0]!.peer.request("session/request_permission", {
        sessionId: "s1",
        toolCall: {},
        options: [{ name: "no id" }],
      }),
      { code: -32602 },
    );
  });
});
