import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import {
  CHECKPOINT_COMMAND,
  hasCheckpoint,
  isMetaMoment,
  parsePrompt,
  withBlocks,
  withCheckpoint,
} from "./user-commands";

const text = (words: string) => ({ type: "text", text: words }),
  IMAGE = { type: "image", data: "" };
const asked = (prompt: readonly unknown[], isOurs = true) => {
  const wish = parsePrompt(prompt, isOurs);
  return wish.kind === "open" ? wish.parts : undefined;
};

suite("Sparkle requests in user text", () => {
  for (const words of ["hello", "", "what is /checkpoint?", "/usr/bin is empty", "checkpoint"])
    test(`is absent in “${words}”`, () => deepEqual(asked([text(words), IMAGE]), []));

  for (const words of [
    "/compact",
    "/plan the rest",
    " /compact",
    "/checkpoints",
    "/mcp__sparkle__checkpoint",
    "/plan a meta moment",
  ])
    test(`is not added to a command of the agent: “${words}”`, () => equal(asked([text(words)]), undefined));

  test("is not added to a prompt without text", () => {
    for (const prompt of [[], [IMAGE], [null, 7, { type: "text" }, { type: "text", text: 7 }]])
      equal(asked(prompt), undefined);
  });

  for (const [words, parts] of [
    ["/checkpoint", ["checkpoint"]],
    ["/checkpoint the parser\nfirst", ["checkpoint"]],
    ["  /checkpoint  ", ["checkpoint"]],
    ["/checkpoint after a meta moment", ["checkpoint", "meta-moment"]],
  ] as const)
    test(`requests a checkpoint for “${words}”`, () => deepEqual(asked([IMAGE, text(words), text("more")]), parts));

  test("leaves the agent's own /checkpoint unchanged", () => equal(asked([text("/checkpoint now")], false), undefined));

  test("finds a meta moment as whole words in any case", () => {
    for (const words of ["meta moment", "A Meta Moment, please", "META\nMOMENT!", "“meta moment”"])
      equal(isMetaMoment(words), true, words);
    for (const words of ["metamoment", "meta moments", "a parameta moment", "meta-moment", "meta", "öMeta moment_"])
      equal(isMetaMoment(words), false, words);
    deepEqual(asked([text("so, meta moment"), IMAGE]), ["meta-moment"]);
  });

  test("appends blocks for the assistant and keeps the user's blocks unchanged", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string().map(text), fc.constant(IMAGE), fc.anything())),
        fc.array(
          fc.record({ part: fc.constantFrom("embodiment" as const, "checkpoint" as const), text: fc.string() }),
          { maxLength: 3 },
        ),
        (prompt, blocks) => {
          const all = withBlocks(prompt, blocks);
          prompt.forEach((block, i) => equal(all[i], block));
          for (const added of all.slice(prompt.length))
            deepEqual((added as { annotations?: unknown }).annotations, { audience: ["assistant"] });
          equal(all.length, prompt.length + blocks.length);
        },
      ),
    ));

  test("appends Sparkle's command unless the agent has one with its name", () => {
    const theirs = { name: "checkpoint", description: "theirs" },
      second = { name: "plan", description: "" };
    deepEqual(withCheckpoint([second, null], 1), [second, null, CHECKPOINT_COMMAND]);
    deepEqual(withCheckpoint([theirs, second], 1), [theirs, second]);
    deepEqual([hasCheckpoint([second]), hasCheckpoint([theirs])], [false, true]);
  });
});
