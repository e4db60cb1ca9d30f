import { deepEqual, equal } from "node:assert/strict";
import { systemPromptSupport, withSystemPrompt } from "./system-prompt";

suite("agent system prompt", () => {
  const CASES: readonly (readonly [string, unknown, ReturnType<typeof systemPromptSupport>])[] = [
    ["version 1", { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { systemPrompt: {} } } }, "member"],
    [
      "version 2",
      { protocolVersion: 2, capabilities: { session: { systemPrompt: { mode: { override: {} } } } } },
      "member",
    ],
    [
      "an adapter older than the capability",
      { protocolVersion: 1, agentInfo: { name: "@zed-industries/claude-code-acp", version: "0.16.2" } },
      "meta",
    ],
    [
      "an adapter newer than the last affected version, without the capability",
      { protocolVersion: 1, agentInfo: { name: "@agentclientprotocol/claude-agent-acp", version: "0.61.0" } },
      undefined,
    ],
    [
      "a newer adapter with the capability",
      {
        agentCapabilities: { sessionCapabilities: { systemPrompt: {} } },
        agentInfo: { name: "@agentclientprotocol/claude-agent-acp" },
      },
      "member",
    ],
    [
      "another agent",
      {
        protocolVersion: 1,
        agentCapabilities: { sessionCapabilities: { list: {} } },
        agentInfo: { name: "gemini-cli" },
      },
      undefined,
    ],
    ["null for the capability", { agentCapabilities: { sessionCapabilities: { systemPrompt: null } } }, undefined],
    ["no object", "?", undefined],
  ];
  for (const [what, answer, support] of CASES)
    test(`is detected in the initialize response: ${what}`, () => equal(systemPromptSupport(answer), support));

  test("follows the client's own text", () => {
    const block = (text: string) => ({ type: "text", text });
    deepEqual(withSystemPrompt({ cwd: "/" }, "ours", "member"), {
      cwd: "/",
      systemPrompt: { mode: "append", content: [block("ours")] },
    });
    deepEqual(withSystemPrompt({ systemPrompt: { mode: "override", content: [block("theirs")] } }, "ours", "member"), {
      systemPrompt: { mode: "override", content: [block("theirs"), block("ours")] },
    });
    deepEqual(withSystemPrompt({ _meta: { a: 1 } }, "ours", "meta"), {
      _meta: { a: 1, systemPrompt: { append: "ours" } },
    });
    deepEqual(withSystemPrompt({ _meta: { systemPrompt: { append: "theirs", b: 2 } } }, "ours", "meta"), {
      _meta: { systemPrompt: { append: "theirs\n\nours", b: 2 } },
    });
    deepEqual(withSystemPrompt({ _meta: { systemPrompt: "whole" } }, "ours", "meta"), {
      _meta: { systemPrompt: "whole\n\nours" },
    });
  });
});
