import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { Entry } from "../../../src/protocol/chat/chat";
import type { ElicitationChoice } from "../../../src/protocol/chat/elicitation";
import { RpcError } from "../../rpc/message";
import { NEVER, Fixture } from "../../testing/sessions/chat-fixture";

suite("agent requests: permission, options, files", () => {
  test("shows a permission request, resolves it once and returns the selected option", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    const turn = await fixture.agents[0]!.next("session/prompt");
    const asked = fixture.agents[0]!.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: { toolCallId: "t", title: "rm" },
      options: [
        { optionId: "y", name: "Yes", kind: "allow_once" },
        { optionId: "n", name: "No", kind: "reject_once" },
      ],
    });
    await fixture.settle();
    const card = fixture.entries(id).find(entry => entry.kind === "permission");
    ok(card);
    const answer = fixture.service.handlers["chat/answerPermission"];
    await answer({ sessionId: id, permissionId: card.id, choice: { kind: "option", optionId: "n" } }, NEVER);
    await answer({ sessionId: id, permissionId: card.id, choice: { kind: "option", optionId: "y" } }, NEVER);
    deepEqual(await asked, { outcome: { outcome: "selected", optionId: "n" } });
    await rejects(
      fixture.agents[0]!.peer.request("session/request_permission", {
        sessionId: "s1",
        options: [{ name: "an option without an id" }],
      }),
      { code: -32602 },
    );
    turn.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(fixture.story(id), ["user go", "tool rm cancelled", "permission selected"]);
  });

  test("applies bypass to all sessions of the agent immediately and persists it", async () => {
    await using fixture = new Fixture();
    const [a, b] = [await fixture.open(), await fixture.open()];
    await Promise.all([fixture.prompt(a, "A"), fixture.prompt(b, "B")]);
    const [agent] = fixture.agents;
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
    await fixture.settle();
    const card = fixture.entries(a).find(entry => entry.kind === "permission");
    equal(card?.kind, "permission");
    await fixture.service.handlers["chat/bypass"]({ sessionId: a, until: "revoked" }, NEVER);
    deepEqual(
      [await first, await ask("s2")],
      [{ outcome: { outcome: "selected", optionId: "y" } }, { outcome: { outcome: "selected", optionId: "y" } }],
    );
    deepEqual(fixture.notifications, ["bypass ada"]);
  });

  test("applies a session bypass only to that session, without persisting it", async () => {
    await using fixture = new Fixture();
    const [a, b] = [await fixture.open(), await fixture.open()];
    await Promise.all([fixture.prompt(a, "A"), fixture.prompt(b, "B")]);
    const [agent] = fixture.agents;
    const ask = (sessionId: string) =>
      agent!.peer.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t" },
        options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
      });
    await agent!.next("session/prompt");
    await agent!.next("session/prompt");
    await fixture.service.handlers["chat/bypass"]({ sessionId: a, until: "sessionEnds" }, NEVER);
    deepEqual(await ask("s1"), { outcome: { outcome: "selected", optionId: "y" } });
    const second = ask("s2");
    await fixture.settle();
    deepEqual(
      [fixture.story(b).at(-1), fixture.shown.get(a)?.bypassed, fixture.shown.get(b)?.bypassed, fixture.notifications],
      ["permission open", true, undefined, []],
    );
    await fixture.service.handlers["chat/endBypass"]({ sessionId: a }, NEVER);
    const asked = ask("s1");
    await fixture.settle();
    deepEqual([fixture.story(a).at(-1), fixture.shown.get(a)?.bypassed], ["permission open", undefined]);
    for (const sessionId of [a, b]) await fixture.service.handlers["chat/close"]({ sessionId }, NEVER);
    deepEqual(
      [await asked, await second],
      [{ outcome: { outcome: "cancelled" } }, { outcome: { outcome: "cancelled" } }],
    );
    const again = await fixture.open();
    fixture.service.handlers["chat/replay"]({ sessionId: again, requestNumber: 1 });
    await fixture.settle();
    equal(
      fixture.shown.get(again)?.bypassed,
      undefined,
      "a session that goes on with an earlier one's entries asks again",
    );
  });

  test("drops a permission request that the agent cancels before it is shown", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    await fixture.agents[0]!.next("session/prompt");
    const { peer } = fixture.agents[0]!;
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
      withdraw.abort(); // directly after its request on the wire
      return refused;
    });
    await Promise.all(asked);
    await fixture.settle();
    deepEqual(fixture.story(id), ["user go"]);
  });

  test("sets the selected options before the first prompt, in the agent's order, if still available", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["session/new"];
    const id = await fixture.open({ controls: { model: "l", gone: "x", fast: true, effort: "none" } });
    await fixture.prompt(id, "go");
    await fixture.settle();
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
    (await fixture.agents[0]!.next("session/new")).respond({ sessionId: "s1", ...options("s", false) });
    const first = await fixture.agents[0]!.next("session/set_config_option");
    deepEqual(first.params, { sessionId: "s1", configId: "model", value: "l" });
    first.respond(options("l", false));
    const second = await fixture.agents[0]!.next("session/set_config_option");
    deepEqual(second.params, { sessionId: "s1", configId: "fast", type: "boolean", value: true });
    second.fail(new RpcError(-32603, "not today"));
    await fixture.agents[0]!.next("session/prompt");
    await fixture.settle();
    deepEqual(
      fixture.shown.get(id)?.controls.map(({ value }) => value),
      ["l", false, "low"],
    );
  });

  test("shows options that the agent sends directly after its session/new response", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["session/new"];
    const id = await fixture.open(),
      option = (on: boolean) => [{ id: "fast", name: "Fast", type: "boolean", currentValue: on }];
    await fixture.settle();
    const [agent] = fixture.agents;
    (await agent!.next("session/new")).respond({ sessionId: "x", configOptions: option(false) });
    agent!.update("x", { sessionUpdate: "config_option_update", configOptions: option(true) });
    await fixture.settle();
    deepEqual(
      fixture.shown.get(id)?.controls.map(({ value }) => value),
      [true],
    );
  });

  test("keeps options that the agent sends before a session/new response without options", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["session/new"];
    const id = await fixture.open();
    await fixture.settle();
    const request = await fixture.agents[0]!.next("session/new");
    fixture.agents[0]!.update("x", {
      sessionUpdate: "config_option_update",
      configOptions: [{ id: "fast", name: "Fast", type: "boolean", currentValue: true }],
    });
    request.respond({ sessionId: "x" });
    await fixture.settle();
    deepEqual(
      fixture.shown.get(id)?.controls.map(({ value }) => value),
      [true],
    );
  });

  test("sets an option, shows the agent's value and sets it again after a restart", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["session/new"];
    const id = await fixture.open(),
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
      fixture.service.handlers["chat/setControl"]({ sessionId: id, controlId: "acp:mode", value }, NEVER);
    const mode = (): unknown => fixture.shown.get(id)?.controls[0]?.value;
    await fixture.settle();
    (await fixture.agents[0]!.next("session/new")).respond({ sessionId: "s1", ...modes });
    await fixture.settle();
    await set("code");
    (await fixture.agents[0]!.next("session/set_mode")).respond({});
    await fixture.settle();
    equal(mode(), "code");
    fixture.agents[0]!.update("s1", { sessionUpdate: "current_mode_update", currentModeId: "ask" });
    await fixture.settle();
    equal(mode(), "ask");
    await set("code");
    (await fixture.agents[0]!.next("session/set_mode")).fail(new RpcError(-32603, "not now"));
    await fixture.settle();
    equal(mode(), "ask");
    match(fixture.story(id).at(-1) ?? "", /“Mode” was not changed\. .*not now/);
    deepEqual(fixture.notifications, ["acp:mode=code"], "kept is what the agent took");
    await set("code");
    (await fixture.agents[0]!.next("session/set_mode")).respond({});
    await fixture.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await fixture.settle();
    (await fixture.agents[1]!.next("session/new")).respond({ sessionId: "s1", ...modes });
    deepEqual((await fixture.agents[1]!.next("session/set_mode")).params, { sessionId: "s1", modeId: "code" });
  });

  test("restarts the process of its own session, not its replacement", async () => {
    await using fixture = new Fixture();
    const [id, neighbour] = [await fixture.open(), await fixture.open()];
    await fixture.settle();
    fixture.pool.retire("ada");
    const newer = await fixture.open();
    await fixture.settle();
    equal(fixture.agents.length, 2);
    await fixture.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await fixture.settle();
    equal(fixture.agents.length, 2);
    deepEqual(
      [neighbour, newer].map(each => fixture.story(each).some(line => line.includes("restarted"))),
      [true, false],
    );
  });

  test("sets a pending option in the next session and ignores a late rejection after another selection", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["session/new", "session/set_config_option"];
    const configOptions = [
      { id: "m", name: "M", type: "select", currentValue: "a", options: ["a", "b", "c"].map(value => ({ value })) },
    ];
    const id = await fixture.open();
    const opens = async (n: number): Promise<void> => {
      await fixture.settle();
      (await fixture.agents[n]!.next("session/new")).respond({ sessionId: "x", configOptions });
      await fixture.settle();
    };
    await opens(0);
    await fixture.service.handlers["chat/setControl"]({ sessionId: id, controlId: "m", value: "b" }, NEVER);
    await fixture.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await opens(1);
    const again = await fixture.agents[1]!.next("session/set_config_option");
    equal((again.params as { value: string }).value, "b");
    again.respond({});
    await fixture.settle();
    for (const value of ["a", "c"])
      await fixture.service.handlers["chat/setControl"]({ sessionId: id, controlId: "m", value }, NEVER);
    await fixture.settle();
    (await fixture.agents[1]!.next("session/set_config_option")).fail(new RpcError(-32602, "no"));
    (await fixture.agents[1]!.next("session/set_config_option")).respond({});
    await fixture.settle();
    deepEqual(
      fixture.shown.get(id)?.controls.map(({ value }) => value),
      ["c"],
    );
  });

  test("answers a form with user input, opens a page with consent and cancels unanswerable requests", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.settle();
    const ask = (params: object) =>
      fixture.agents[0]!.peer.request("elicitation/create", { sessionId: "s1", message: "m", ...params });
    const answer = (choice: ElicitationChoice) => {
      const open = fixture.entries(id).find(entry => entry.kind === "elicitation" && !entry.answered);
      return fixture.service.handlers["chat/answerElicitation"](
        { sessionId: id, elicitationId: open?.id ?? "", choice },
        NEVER,
      );
    };
    const form = ask({
      mode: "form",
      requestedSchema: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] },
    });
    await fixture.settle();
    await answer({ kind: "accept", values: { age: 4 } });
    deepEqual(await form, { action: "accept", content: { age: 4 } });
    const page = ask({ mode: "url", url: "https://example.org/", elicitationId: "e" });
    await fixture.settle();
    await answer({ kind: "accept", values: {} });
    deepEqual([await page, fixture.notifications], [{ action: "accept" }, ["page https://example.org/"]]);
    fixture.agents[0]!.peer.notify("elicitation/complete", { elicitationId: "e" });
    await fixture.settle();
    deepEqual(
      fixture.entries(id).map(entry => (entry.kind === "elicitation" ? entry.answered?.kind : entry.kind)),
      ["accepted", "completed"],
    );
    await rejects(ask({ mode: "url", url: "file:///etc/passwd", elicitationId: "e" }), { code: -32602 });
    const open = ask({ mode: "form", requestedSchema: { properties: {} } });
    await fixture.settle();
    await fixture.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    deepEqual(await open, { action: "cancel" });
  });

  test("routes a request-scoped elicitation to its session or cancels it", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["session/new"];
    const id = await fixture.open();
    await fixture.settle();
    const opening = await fixture.agents[0]!.next("session/new");
    const ask = () =>
      fixture.agents[0]!.peer.request("elicitation/create", {
        requestId: 7,
        message: "Sign in",
        mode: "url",
        url: "https://example.org/",
        elicitationId: "e",
      });
    const asked = ask();
    await fixture.settle();
    const question = fixture.entries(id).find(entry => entry.kind === "elicitation");
    await fixture.service.handlers["chat/answerElicitation"](
      { sessionId: id, elicitationId: question!.id, choice: { kind: "accept", values: {} } },
      NEVER,
    );
    deepEqual(await asked, { action: "accept" });
    opening.respond({ sessionId: "s1" });
    await fixture.settle();
    deepEqual(await ask(), { action: "cancel" });
  });

  test("reads and writes files through the host, outside the workspace only with consent", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open({ cwd: "/symposium/own", folders: ["/symposium/own", "/symposium/other"] });
    await fixture.prompt(id, "go");
    await fixture.agents[0]!.next("session/prompt");
    const ask = (method: string, params: object, signal?: AbortSignal) =>
      fixture.agents[0]!.peer.request(method, { sessionId: "s1", ...params }, signal ? { signal } : {});
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
    await using second = new Fixture();
    second.initialized = { protocolVersion: 1, agentInfo: { name: "gemini-cli" } };
    const its = await second.open({ cwd: "/symposium/own" });
    await second.prompt(its, "go");
    await second.agents[0]!.next("session/prompt");
    deepEqual(
      await second.agents[0]!.peer.request("fs/read_text_file", { sessionId: "s1", path: "/symposium/own/missing" }),
      { content: "" },
      "an agent that creates only readable files",
    );
    const outside = ask("fs/write_text_file", { path: "/symposium/elsewhere", content: "y" });
    const open = (): Entry | undefined =>
      fixture.entries(id).findLast(entry => entry.kind === "permission" && !entry.answered);
    await fixture.until(() => open() !== undefined);
    const card = open();
    equal(card?.kind === "permission" && card.title, "Write /symposium/elsewhere");
    await fixture.service.handlers["chat/answerPermission"](
      { sessionId: id, permissionId: card!.id, choice: { kind: "option", optionId: "once" } },
      NEVER,
    );
    deepEqual(await outside, {});
    deepEqual(fixture.notifications, ["write /symposium/own/b: x", "write /symposium/elsewhere: y"]);
    const withdraw = new AbortController(),
      withdrawn = rejects(ask("fs/read_text_file", { path: "/symposium/elsewhere" }, withdraw.signal), {
        code: -32800,
      });
    await fixture.until(() => open() !== undefined && open()?.id !== card!.id);
    withdraw.abort();
    await withdrawn;
    await fixture.until(() => open() === undefined);
    deepEqual(
      fixture.story(id).filter(line => line.startsWith("permission")),
      ["permission selected", "permission cancelled"],
    );
  });

  test("settles a permission request that the agent cancels as cancelled", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    await fixture.agents[0]!.next("session/prompt");
    const withdraw = new AbortController();
    const asked = fixture.agents[0]!.peer.request(
      "session/request_permission",
      { sessionId: "s1", toolCall: {}, options: [{ optionId: "y", name: "Yes", kind: "allow_once" }] },
      { signal: withdraw.signal },
    );
    const refused = rejects(asked, { code: -32800 });
    await fixture.settle();
    withdraw.abort();
    await refused;
    await fixture.settle();
    deepEqual(fixture.story(id).slice(-1), ["permission cancelled"]);
  });

  test("shows the exit as the reason for an open permission request of an agent that exits", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    await fixture.agents[0]!.next("session/prompt");
    fixture.agents[0]!.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: {},
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    }).catch(() => undefined);
    await fixture.settle();
    await fixture.agents[0]!.die();
    await fixture.settle();
    const card = fixture.entries(id).find(entry => entry.kind === "permission");
    deepEqual(card?.answered, { kind: "cancelled", why: "the agent stopped" });
  });

  test("rejects a permission request without a valid option", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    await fixture.agents[0]!.next("session/prompt");
    await rejects(
      fixture.agents[0]!.peer.request("session/request_permission", {
        sessionId: "s1",
        toolCall: {},
        options: [{ name: "no id" }],
      }),
      { code: -32602 },
    );
  });
});
