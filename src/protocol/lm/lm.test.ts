import { deepEqual, ok } from "node:assert/strict";
import { ELIZA, type AgentConfig } from "../agents/agents";
import { agentDefinition, type LmToHost, type LmToSidecar } from "./lm";
import { readCancel, readChatRequest, readTokenCount } from "./lm-read";
import type { ParamsOf, ResultOf } from "../wire/wire";

type Method = keyof LmToSidecar | keyof LmToHost;
/** The public names again, so that renaming one in the contract does not compile. */
const METHODS: { [M in Method]: M } = {
  "lm/provideLanguageModelChatInformation": "lm/provideLanguageModelChatInformation",
  "lm/provideLanguageModelChatResponse": "lm/provideLanguageModelChatResponse",
  "lm/provideTokenCount": "lm/provideTokenCount",
  "lm/cancel": "lm/cancel",
  "lm/responsePart": "lm/responsePart",
  "lm/responseComplete": "lm/responseComplete",
};

const HELLO = {
  modelId: "symposium",
  messages: [{ role: "user", content: [{ type: "text", value: "Hello" }] }],
  agent: {
    mcp_server: {
      name: "my-agent",
      command: "/path/to/agent",
      args: ["--flag"],
      env: [{ name: "KEY", value: "value" }],
    },
  },
} satisfies ParamsOf<LmToSidecar, "lm/provideLanguageModelChatResponse">;

suite("language model contract", () => {
  test("matches the documented messages literally", () => {
    const eliza = {
      ...HELLO,
      modelId: "symposium-eliza",
      agent: { eliza: { deterministic: true } },
      options: { tools: [{ name: "read", description: "", inputSchema: {} }], toolMode: "auto" },
    } satisfies ParamsOf<LmToSidecar, "lm/provideLanguageModelChatResponse">;
    const parts = [
      { requestId: 1, part: { type: "text", value: "How " } },
      { requestId: 1, part: { type: "tool_call", toolCallId: "c", toolName: "read", parameters: {} } },
      { requestId: 1, part: { type: "tool_result", toolCallId: "c", result: "…", isError: true } },
    ] satisfies ParamsOf<LmToHost, "lm/responsePart">[];
    const done = {} satisfies ResultOf<LmToSidecar, "lm/provideLanguageModelChatResponse">;
    const count = { count: 3 } satisfies ResultOf<LmToSidecar, "lm/provideTokenCount">;

    // Not checked by the compiler: all of it is plain JSON, and a reader accepts it unchanged.
    const all = { METHODS, HELLO, eliza, parts, done, count };
    deepEqual(JSON.parse(JSON.stringify(all)), all);
    for (const request of [HELLO, eliza])
      deepEqual(readChatRequest(JSON.parse(JSON.stringify(request))), { request, leftOut: [] });
  });

  test("names an agent of the settings in the documented form", () => {
    deepEqual(
      agentDefinition({
        id: "a",
        name: "Ada",
        distribution: { local: { command: "ada", args: ["--acp"], env: { KEY: "v" } } },
      }),
      { mcp_server: { name: "Ada", command: "ada", args: ["--acp"], env: [{ name: "KEY", value: "v" }] } },
    );
    deepEqual(agentDefinition({ id: "a", name: "Ada", distribution: { executable: { path: "/bin/ada" } } }), {
      mcp_server: { name: "Ada", command: "/bin/ada", args: [], env: [] },
    });
    deepEqual(agentDefinition(ELIZA), { eliza: {} });
    const command = (distribution: AgentConfig["distribution"]) => {
      const server = agentDefinition({ id: "a", name: "Ada", distribution });
      return server && "mcp_server" in server && [server.mcp_server.command, ...server.mcp_server.args].join(" ");
    };
    deepEqual(
      [
        command({ npx: { package: "ada" } }),
        command({ cargo: { crate: "ada", args: ["acp"] } }),
        command({ binary: { "linux-x86_64": { archive: "https://example.com/ada.zip", cmd: "./ada" } } }),
      ],
      ["npx -y ada", "ada acp", "./ada"],
    );
    deepEqual(
      agentDefinition({ ...ELIZA, distribution: { symposium: { subcommand: "eliza", args: ["--deterministic"] } } }),
      { eliza: { deterministic: true } },
    );
    deepEqual(agentDefinition({ ...ELIZA, distribution: { symposium: { subcommand: "other" } } }), undefined);
    deepEqual(agentDefinition({ ...ELIZA, distribution: {} }), undefined);
  });
});

suite("language model request", () => {
  const with_ = (overrides: object): unknown => ({ ...HELLO, ...overrides });
  const content = (...parts: unknown[]): unknown => with_({ messages: [{ role: "user", content: parts }] });

  test("accepts additional members and defaults for null or missing ones", () => {
    const additions = {
      requestId: "r1",
      agentId: "ada",
      permissionGroup: "custom1",
      distribution: { npx: { package: "ada" } },
      cwd: "/w",
      options: { requestInitiator: "github.copilot-chat", modelOptions: { _conversationId: "c" } },
    };
    deepEqual(readChatRequest(with_(additions)), { request: { ...HELLO, ...additions }, leftOut: [] });
    deepEqual(readChatRequest(with_({ options: null, agent: { mcp_server: { name: "a", command: "b" } } })), {
      request: { ...HELLO, agent: { mcp_server: { name: "a", command: "b", args: [], env: [] } } },
      leftOut: [],
    });
    deepEqual(readChatRequest(with_({ agent: { eliza: {} } })), {
      request: { ...HELLO, agent: { eliza: {} } },
      leftOut: [],
    });
  });

  test("accepts every kind of part with defaults for missing content", () => {
    const parts = [
      { type: "text", value: "" },
      { type: "data", mimeType: "image/png", data: "AA==" },
      { type: "thinking", value: "hm", id: "t", metadata: { a: 1 } },
      { type: "thinking", value: "" },
      { type: "tool_call", toolCallId: "", toolName: "read", parameters: { a: 1 } },
      { type: "tool_result", toolCallId: "c", result: [{ type: "text", value: "x" }], isError: true },
    ];
    deepEqual(readChatRequest(content(...parts)), { request: content(...parts), leftOut: [] });
    deepEqual(
      readChatRequest(
        content(
          { type: "tool_call", toolCallId: "c", toolName: "read", parameters: null },
          { type: "tool_result", toolCallId: "c" },
        ),
      ),
      {
        request: content(
          { type: "tool_call", toolCallId: "c", toolName: "read", parameters: {} },
          { type: "tool_result", toolCallId: "c", result: "" },
        ),
        leftOut: [],
      },
    );
  });

  test("drops and names unknown parts and invalid tools", () => {
    deepEqual(readChatRequest(content({ type: "hologram" }, { type: "text", value: "Hello" })), {
      request: HELLO,
      leftOut: ["messages[0].content[0]"],
    });
    const tools = [
      { description: "no name" },
      { name: "bare" },
      7,
      { name: "odd", description: 1, inputSchema: null },
      { name: "" },
    ];
    deepEqual(readChatRequest(with_({ options: { tools } })), {
      request: with_({
        options: {
          tools: [
            { name: "bare", description: "" },
            { name: "odd", description: "" },
          ],
        },
      }),
      leftOut: ["options.tools[0]", "options.tools[2]", "options.tools[4]"],
    });
  });

  const wrong: readonly [request: unknown, sentence: string][] = [
    [undefined, "params must be an object."],
    [with_({ modelId: 1 }), "modelId must be a text."],
    [with_({ distribution: { docker: {} } }), "distribution must be a distribution of an agent."],
    [with_({ modelId: "" }), "modelId must be a non-empty text."],
    [with_({ messages: "Hello" }), "messages must be a list."],
    [with_({ messages: [{ role: "tool", content: [] }] }), "messages[0].role must be “user”, “assistant” or “system”."],
    [with_({ messages: [{ role: "user", content: "Hello" }] }), "messages[0].content must be a list."],
    [content("Hello"), "messages[0].content[0] must be an object."],
    [content({ type: "text" }), "messages[0].content[0].value must be a text."],
    [content({ type: "tool_call", toolCallId: 1, toolName: "a" }), "messages[0].content[0].toolCallId must be a text."],
    [with_({ agent: { other: {} } }), "agent must be {“eliza”: {…}} or {“mcp_server”: {…}}."],
    [with_({ agent: { mcp_server: { name: "a" } } }), "agent.mcp_server.command must be a text."],
    [
      with_({ agent: { mcp_server: { name: "a", command: "b", env: [{ name: "SECRET", value: 42 }] } } }),
      "agent.mcp_server.env[0].value must be a text.",
    ],
    [with_({ options: [] }), "options must be an object."],
    [with_({ options: { toolMode: "some" } }), "options.toolMode must be “auto” or “required”."],
    [with_({ options: { modelOptions: 1 } }), "options.modelOptions must be an object."],
    [with_({ requestId: {} }), "requestId must be a number or a text."],
    [with_({ cwd: "" }), "cwd must be a non-empty text."],
  ];
  for (const [request, sentence] of wrong)
    test(`is rejected: ${sentence}`, () => deepEqual(readChatRequest(request), { wrong: sentence }));

  test("parses cancellations and token counts", () => {
    deepEqual(readCancel({ requestId: 0 }), { requestId: 0 });
    ok("wrong" in readCancel({}) && "wrong" in readCancel({ requestId: NaN }) && "wrong" in readCancel(3));
    deepEqual(readTokenCount({ modelId: "symposium", text: "" }), { modelId: "symposium", text: "" });
    ok("wrong" in readTokenCount({ modelId: "symposium" }));
  });
});
