import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { Consumer, type Round } from "./lm-consumer";
import { until } from "./until";

interface RecordedMessage {
  readonly method?: string;
  readonly params?: {
    readonly prompt?: readonly { readonly text?: string }[];
    readonly mcpServers?: readonly unknown[];
  };
}

const number = { type: "number" };
const TOOLS: readonly vscode.LanguageModelChatTool[] = [
  {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
  },
  { name: "picture", description: "Gives a picture.", inputSchema: { type: "object", properties: {} } },
  {
    name: "odd",
    description: "Has a choice at its top.",
    inputSchema: {
      anyOf: [
        { type: "object", properties: { x: { type: "string" } } },
        { type: "object", properties: { y: number } },
      ],
    },
  },
  { name: "bare", description: "Has no schema." },
  // Has the name of a Symposium tool, through which VS Code's chat asks its user.
  { name: "symposium-agent-action", description: "Asks.", inputSchema: { type: "object", properties: {} } },
];

/** `vscode.LanguageModelDataPart` is not in the typings of the minimum version. */
function picture(bytes: Uint8Array): object {
  const DataPart: unknown = Reflect.get(vscode, "LanguageModelDataPart");
  assert.ok(typeof DataPart === "function");
  return Reflect.construct(DataPart, [bytes, "image/png"]);
}

/** Tools of another extension in a Symposium model, through the stable API, with the scripted agent. */
suite("Symposium's models with tools of another extension", () => {
  let folder: string, log: string, model: vscode.LanguageModelChat;
  const settings = vscode.workspace.getConfiguration("symposium"),
    set = (name: string, value: unknown) => settings.update(name, value, vscode.ConfigurationTarget.Global);
  const received = (): readonly RecordedMessage[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .filter(line => line !== "")
          .map((line): RecordedMessage => JSON.parse(line))
      : [];
  const prompts = (): readonly string[] =>
    received().flatMap(({ method, params }) =>
      method === "session/prompt" ? [(params?.prompt ?? []).map(({ text }) => text).join("\n")] : [],
    );
  const consumer = (options: vscode.LanguageModelChatRequestOptions = {}) =>
    new Consumer(model, { tools: [...TOOLS], ...options });
  const called = ({ calls }: Round): readonly unknown[] => calls.map(({ name, input }) => [name, input]);

  suiteSetup(async () => {
    await vscode.extensions.getExtension("symposium-dev.symposium")?.activate();
    folder = mkdtempSync(path.join(tmpdir(), "symposium-consumer-"));
    log = path.join(folder, "agent.log");
    const local = {
      command: process.execPath,
      args: [path.join(process.env.SYMPOSIUM_ROOT ?? "", "out/programs/scripted-agent.program.mjs"), "--log", log],
      env: { ELECTRON_RUN_AS_NODE: "1" },
    };
    await set("agents", [{ id: "consumed", name: "Consumed", distribution: { local } }]);
    await set("enableExperimentalLM", true);
    await until("its model is there", [vscode.lm.onDidChangeChatModels], async () => {
      const [found] = await vscode.lm.selectChatModels({ vendor: "symposium", id: "symposium-consumed" });
      if (found) model = found;
      return found !== undefined;
    });
  });
  suiteTeardown(async () => {
    await set("enableExperimentalLM", undefined);
    await set("agents", undefined);
    // the agent may still write its last lines
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  test("returns a call as a response part, accepts its result and continues the turn", async () => {
    const chat = consumer(),
      before = prompts().length;
    const asked = await chat.ask(`say first; mcp vsctools* add {"a":20,"b":22}; say last`);
    assert.match(asked.text, /^first/);
    assert.deepEqual(called(asked), [["add", { a: 20, b: 22 }]]);
    const done = await chat.answer([[asked.calls[0]!, "it is 42"]]);
    assert.match(done.text, /✓[^]*add: it is 42[^]*last$/);
    assert.deepEqual(called(done), []);
    assert.equal(prompts().length, before + 1, "both requests are one turn");
    assert.match((await chat.ask("say another turn")).text, /another turn/);
    assert.deepEqual(prompts().slice(before), [
      `say first; mcp vsctools* add {"a":20,"b":22}; say last`,
      "say another turn",
    ]);
  });

  for (const n of [2, 7, 20])
    test(`returns ${n} concurrent calls and accepts their results in any order`, async () => {
      const chat = consumer();
      let round = await chat.ask(
        [...Array.from({ length: n }, (_, i) => `mcp* vsctools* add {"a":${i},"b":0}`), "say all of them"].join("; "),
      );
      const calls = [...round.calls];
      let text = "";
      // On a busy machine a call can arrive after the debounce. Then it is in a later round.
      while (round.calls.length > 0) {
        // Reversed, then swapped in pairs.
        const shuffled = [...round.calls].reverse().map((_, i, all) => all[i ^ 1] ?? all[i]!);
        round = await chat.answer(shuffled.map(call => [call, `<${JSON.stringify(call.input)}>`]));
        calls.push(...round.calls);
        text += round.text;
      }
      assert.deepEqual(
        calls.map(({ input }) => Reflect.get(input, "a")).sort((a, b) => a - b),
        Array.from({ length: n }, (_, i) => i),
      );
      assert.equal(new Set(calls.map(({ callId }) => callId)).size, n);
      for (let i = 0; i < n; i++) assert.ok(text.includes(`add: <{"a":${i},"b":0}>`), `${i}: ${text}`);
      assert.match(text, /all of them$/);
    });

  test("returns sequential calls in separate requests of one turn", async () => {
    const chat = consumer(),
      before = prompts().length;
    let round = await chat.ask(
      `mcp vsctools* add {"a":1,"b":1}; mcp vsctools* odd {"x":"1"}; mcp vsctools* bare {}; say the end`,
    );
    for (const [name, result] of [
      ["add", "two"],
      ["odd", "three"],
      ["bare", "four"],
    ] as const) {
      assert.deepEqual(
        round.calls.map(call => call.name),
        [name],
      );
      round = await chat.answer([[round.calls[0]!, result]]);
      assert.ok(round.text.includes(`${name}: ${result}`), round.text);
    }
    assert.match(round.text, /the end$/);
    assert.equal(prompts().length, before + 1);
  });

  test("rejects a call without a result by name and accepts the others", async () => {
    const chat = consumer();
    const asked = await chat.ask(`mcp* vsctools* add {"a":1,"b":1}; mcp* vsctools* picture {}; say after`);
    assert.equal(asked.calls.length, 2);
    const { text } = await chat.answer([[asked.calls.find(({ name }) => name === "add")!, "two"]]);
    assert.match(text, /add: two/);
    assert.match(text, /picture: VS Code did not run picture\./);
    assert.match(text, /after$/);
  });

  test("treats a marked result or VS Code's error text as failed, but no other mention of an error", async () => {
    const chat = consumer(),
      chosen = "The user chose to skip the tool call, they want to proceed without running it";
    const asked = await chat.ask([1, 2, 3].map(a => `mcp* vsctools* add {"a":${a},"b":0}`).join("; "));
    const [marked, skipped, fine] = [1, 2, 3].map(a => asked.calls.find(({ input }) => Reflect.get(input, "a") === a)!);
    const { text } = await chat.answer(
      [
        [marked!, "no luck"],
        [skipped!, chosen],
        [fine!, "the log says ERROR: 3"],
      ],
      [marked!],
    );
    assert.deepEqual([...text.matchAll(/[✓✗]/gu)].map(([mark]) => mark).sort(), ["✓", "✗", "✗"]);
    for (const result of ["no luck", chosen, "the log says ERROR: 3"]) assert.ok(text.includes(`add: ${result}`), text);
  });

  test("returns a result with several parts including a picture", async () => {
    const chat = consumer(),
      {
        calls: [call],
      } = await chat.ask("mcp vsctools* picture {}");
    const { text } = await chat.answer([
      [
        call!,
        [
          new vscode.LanguageModelTextPart("a red one"),
          picture(new Uint8Array([1, 2, 3])),
          new vscode.LanguageModelTextPart("and small"),
        ],
      ],
    ]);
    assert.match(text, /picture: a red one image AQID and small/);
  });

  test("cancels the turn during an answer and accepts the next request", async () => {
    const chat = consumer(),
      before = received().length;
    await chat.stopAt("stream 100000 chunks of 20 chars every 20 ms", "w5 ");
    const next = await chat.ask("say still here");
    assert.match(next.text, /still here$/);
    assert.deepEqual(
      received()
        .slice(before)
        .flatMap(({ method }) => (method === "session/prompt" || method === "session/cancel" ? [method] : [])),
      ["session/prompt", "session/cancel", "session/prompt"],
    );
    const asked = await chat.ask(`mcp vsctools* add {"a":1,"b":2}`);
    assert.match((await chat.answer([[asked.calls[0]!, "three"]])).text, /add: three/, "tools work after it");
  });

  test("cancels the turn and its calls for a text instead of results, and starts a new turn", async () => {
    const chat = consumer(),
      before = received().length;
    const asked = await chat.ask(`mcp vsctools* add {"a":1,"b":2}; say never`);
    assert.equal(asked.calls.length, 1);
    assert.match((await chat.ask("say something else")).text, /something else$/);
    assert.doesNotMatch((await chat.ask("say and more")).text, /never/);
    assert.deepEqual(
      received()
        .slice(before)
        .map(({ method }) => method)
        .filter(method => method !== "initialize"),
      ["session/new", "session/prompt", "session/cancel", "session/prompt", "session/prompt"],
    );
  });

  test("requires a tool of the agent only after the agent has requested `tools/list`", async () => {
    const before = prompts().length,
      required = consumer({ toolMode: vscode.LanguageModelChatToolMode.Required, tools: TOOLS.slice(0, 1) });
    const asked = await required.ask(`mcp vsctools* add {"a":2,"b":2}`);
    assert.deepEqual(called(asked), [["add", { a: 2, b: 2 }]]);
    await required.answer([[asked.calls[0]!, "four"]]);
    await required.ask("say once more");
    await consumer().ask("say none");
    assert.deepEqual(
      prompts()
        .slice(before)
        .map(text => text.includes("Use at least one of the tools")),
      [false, true, false],
      "the scripted agent lists tools on demand, in its first turn",
    );
  });

  test("rejects the agent's own action although a tool with Symposium's name is offered", async () => {
    const { text, calls } = await consumer().ask(
      `ask one kind=execute title="Run a command" rawInput={"command":"ls"}; say it continues`,
    );
    assert.match(text, /Symposium cannot ask you when another extension uses the agent/);
    assert.match(text, /chose reject_once[^]*it continues$/);
    assert.deepEqual(calls, []);
  });

  test("hides tools with Symposium's names from the agent and from other extensions", async () => {
    const { text } = await consumer().ask("tools vsctools*");
    assert.deepEqual(text.split(", ").sort(), ["add", "bare", "odd", "picture"]);
    await assert.rejects(
      async () =>
        vscode.lm.invokeTool("symposium-agent-action", { input: { id: "0123" }, toolInvocationToken: undefined }),
      /No agent waits for this answer|Only VS Code's chat/,
    );
  });

  test("separates two extensions' chats with the same text", async () => {
    const [one, two] = [consumer(), consumer()],
      before = received().length,
      words = `mcp vsctools* add {"a":5,"b":5}`;
    const [first, second] = await Promise.all([one.ask(words), two.ask(words)]);
    const [a, b] = await Promise.all([
      one.answer([[first.calls[0]!, "for one"]]),
      two.answer([[second.calls[0]!, "for two"]]),
    ]);
    assert.match(a.text, /add: for one$/);
    assert.match(b.text, /add: for two$/);
    assert.equal(
      received()
        .slice(before)
        .filter(({ method }) => method === "session/new").length,
      2,
    );
  });
});
