import { deepEqual, equal } from "node:assert/strict";
import { ELIZA, type AgentConfig } from "../agents/agents";
import { agentDefinition, type LmToHost, type LmToSidecar } from "./lm";
import { cancelRequest, readChatRequest, tokenCountRequest } from "./lm-schema";
import { parsed } from "../wire/schema";
import type { ParamsOf, ResultOf } from "../wire/wire";

type Method = keyof LmToSidecar | keyof LmToHost;
/** A copy of the public names, so that a renamed method in the contract fails to compile. */
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

const accepted = (request: unknown, leftOut: readonly string[] = []) => ({ ok: true, message: { request, leftOut } });

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

    // The compiler does not check that all values are plain JSON and are accepted unchanged.
    const all = { METHODS, HELLO, eliza, parts, done, count };
    deepEqual(JSON.parse(JSON.stringify(all)), all);
    for (const request of [HELLO, eliza])
      deepEqual(readChatRequest(JSON.parse(JSON.stringify(request))), accepted(request));
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
    deepEqual(readChatRequest(with_(additions)), accepted({ ...HELLO, ...additions }));
    deepEqual(
      readChatRequest(with_({ options: null, agent: { mcp_server: { name: "a", command: "b" } } })),
      accepted({ ...HELLO, agent: { mcp_server: { name: "a", command: "b", args: [], env: [] } } }),
    );
    deepEqual(readChatRequest(with_({ agent: { eliza: {} } })), accepted({ ...HELLO, agent: { eliza: {} } }));
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
    deepEqual(readChatRequest(content(...parts)), accepted(content(...parts)));
    deepEqual(
      readChatRequest(
        content(
          { type: "tool_call", toolCallId: "c", toolName: "read", parameters: null },
          { type: "tool_result", toolCallId: "c" },
        ),
      ),
      accepted(
        content(
          { type: "tool_call", toolCallId: "c", toolName: "read", parameters: {} },
          { type: "tool_result", toolCallId: "c", result: "" },
        ),
      ),
    );
  });

  test("drops and names unknown parts and invalid tools", () => {
    deepEqual(
      readChatRequest(content({ type: "hologram" }, { type: "text", value: "Hello" })),
      accepted(HELLO, ["messages[0].content[0]"]),
    );
    const tools = [
      { description: "no name" },
      { name: "bare" },
      7,
      { name: "odd", description: 1, inputSchema: null },
      { name: "" },
    ];
    const named = [
      { name: "bare", description: "" },
      { name: "odd", description: "" },
    ];
    deepEqual(
      readChatRequest(with_({ options: { tools } })),
      accepted(with_({ options: { tools: named } }), ["options.tools[0]", "options.tools[2]", "options.tools[4]"]),
    );
  });

  const SECRET = "sk-live-1234567890";
  const wrong: readonly [request: unknown, sentence: string][] = [
    [SECRET, "message: wrong type, expected Object"],
    [with_({ modelId: 1 }), "message.modelId: wrong type, expected string"],
    [with_({ distribution: { [SECRET]: {} } }), "message.distribution: expected at least one supported kind"],
    [with_({ modelId: "" }), "message.modelId: expected !0"],
    [with_({ messages: SECRET }), "message.messages: wrong type, expected Array"],
    [
      with_({ messages: [{ role: SECRET, content: [] }] }),
      'message.messages[0].role: wrong type, expected ("user" | "assistant" | "system")',
    ],
    [
      with_({ messages: [{ role: "user", content: SECRET }] }),
      "message.messages[0].content: wrong type, expected Array",
    ],
    [content(SECRET), "message.messages[0].content[0]: wrong type, expected Object"],
    [content({ type: "text" }), "message.messages[0].content[0].value: missing"],
    [
      content({ type: "hologram" }, { type: "tool_call", toolCallId: 1, toolName: "a" }),
      "message.messages[0].content[1].toolCallId: wrong type, expected string",
    ],
    [with_({ agent: { other: {} } }), "message.agent.mcp_server: missing"],
    [with_({ agent: { mcp_server: { name: "a" } } }), "message.agent.mcp_server.command: missing"],
    [
      with_({ agent: { mcp_server: { name: "a", command: "b", env: [{ name: SECRET, value: 42 }] } } }),
      "message.agent.mcp_server.env[0].value: wrong type, expected string",
    ],
    [with_({ options: 1 }), "message.options: wrong type, expected Object"],
    [with_({ options: { toolMode: SECRET } }), 'message.options.toolMode: wrong type, expected ("auto" | "required")'],
    [with_({ options: { modelOptions: 1 } }), "message.options.modelOptions: expected an object"],
    [with_({ requestId: {} }), "message.requestId: wrong type, expected (string | number)"],
    [with_({ cwd: "" }), "message.cwd: expected !0"],
    [with_({ folders: [""] }), "message.folders[0]: expected !0"],
  ];
  for (const [request, why] of wrong)
    test(`is rejected: ${why}`, () => deepEqual(readChatRequest(request), { ok: false, why }));

  test("parses cancellations and token counts", () => {
    deepEqual(parsed(cancelRequest, { requestId: 0 }), { requestId: 0 });
    for (const value of [{}, { requestId: NaN }, 3]) equal(parsed(cancelRequest, value), undefined);
    deepEqual(parsed(tokenCountRequest, { modelId: "symposium", text: "" }), { modelId: "symposium", text: "" });
    equal(parsed(tokenCountRequest, { modelId: "symposium" }), undefined);
  });
});
