import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ELIZA, type AgentConfig } from "../protocol/agents/agents";
import { agentOf, CURRENT, modelIdOf, modelsOf } from "./models";
import { tokensOf } from "./token-count";

const own: AgentConfig = { id: "my-agent", name: "My Agent", distribution: { local: { command: "x" } } };
const offered = {
  agents: [ELIZA, own, { ...own, id: "unused" }],
  configured: [ELIZA.id, own.id],
  currentAgentId: "my-agent",
};

const known = (
  takesImages: (id: string) => boolean,
  contextTokens: (id: string) => number | undefined = () => undefined,
) => ({ takesImages, contextTokens });

suite("language model", () => {
  test("shows a reported context size and reserves tokens for the tools", () => {
    const sizes = new Map([
        ["my-agent", 200_000],
        [ELIZA.id, 8_000],
      ]),
      models = modelsOf(
        offered,
        known(
          () => false,
          id => sizes.get(id),
        ),
      );
    deepEqual(
      models.map(({ maxInputTokens }) => maxInputTokens),
      [200_000, 64_000, 200_000],
    );
    // VS Code shows the first value. Without it, and in older versions, VS Code shows the sum of the others.
    deepEqual(
      models.map(({ maxContextWindowTokens: size, maxInputTokens: input, maxOutputTokens: output }) => [
        size,
        input + output,
      ]),
      [
        [200_000, 200_000],
        [8_000, 64_000],
        [200_000, 200_000],
      ],
    );
    ok(
      models[0]?.tooltip.endsWith(" Context: 200,000 tokens.") &&
        models[1]?.tooltip.endsWith(" Context: 8,000 tokens."),
    );
  });

  test("contains the selected agent and each agent by name", () =>
    deepEqual(
      modelsOf(
        offered,
        known(id => id === "my-agent"),
      ).map(({ id, name, detail, capabilities }) => [id, name, detail, capabilities.imageInput]),
      [
        ["symposium", "Symposium", "My Agent", true],
        ["symposium-eliza", "Eliza", "Symposium", false],
        ["symposium-my-agent", "My Agent", "Symposium", true],
      ],
    ));

  test("supports tools and agent mode with a large input limit", () => {
    for (const { maxInputTokens, capabilities, isUserSelectable, tooltip } of modelsOf(
      offered,
      known(() => false),
    ))
      ok(maxInputTokens >= 1_000_000 && capabilities.toolCalling && isUserSelectable && tooltip !== "");
  });

  test("excludes a selected agent that does not exist", () =>
    deepEqual(
      modelsOf(
        { agents: [ELIZA], configured: [ELIZA.id], currentAgentId: "gone" },
        known(() => false),
      ).map(({ id }) => id),
      ["symposium-eliza"],
    ));

  test("maps to its agent, or to none if removed", () => {
    equal(agentOf(CURRENT, offered), own);
    equal(agentOf("symposium-eliza", offered), ELIZA);
    equal(agentOf("symposium-gone", offered), undefined);
  });

  test("has unique ids (property)", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.constantFrom("eliza", ELIZA.id, "symposium"), fc.string({ minLength: 1 }))),
        ids => {
          equal(new Set(ids.map(modelIdOf)).size, ids.length);
        },
      ),
    ));
});

suite("token count", () => {
  test("is a quarter of the characters, with a constant for images", () => {
    deepEqual(["", "abcd", "abcde"].map(tokensOf), [0, 1, 2]);
    equal(
      tokensOf({
        content: [
          { value: "abcd" },
          { mimeType: "image/png", data: new Uint8Array(9) },
          { callId: "c", name: "abcd", input: {} },
          { callId: "c", content: [{ value: "abcd" }] },
        ],
      }),
      1 + 1_000 + 2 + 1,
    );
  });

  test("is a non-negative integer for any input", () =>
    fc.assert(
      fc.property(fc.anything(), value => {
        for (const given of [value, { content: [value] }, { content: [{ content: [value] }] }])
          ok(Number.isInteger(tokensOf(given)) && tokensOf(given) >= 0);
      }),
    ));
});
