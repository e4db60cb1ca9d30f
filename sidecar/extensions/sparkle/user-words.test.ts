import { deepEqual, equal, match } from "node:assert/strict";
import { hasCheckpoint, isMetaMoment, readWish, withCheckpoint, CHECKPOINT_COMMAND } from "./user-words";

const text = (words: string) => ({ type: "text", text: words }), IMAGE = { type: "image", data: "" };
const partsOf = (prompt: readonly unknown[]) => prompt.map(block => {
  const { text: words = "(no text)" } = block as { text?: string };
  return /^<sparkle part="([\w-]+)">/.exec(words)?.[1] ?? words;
});

suite("what a user's words ask of Sparkle", () => {
  for (const words of ["hello", "", "what is /checkpoint?", "/usr/bin is empty", "checkpoint"]) test(`“${words}” goes as it is`, () => {
    const prompt = [text(words), IMAGE], wish = readWish(prompt, true);
    equal(wish.prompt, prompt);
    equal(wish.isCommand, false);
  });

  for (const words of ["/compact", "/plan the rest", " /compact", "/checkpoints", "/mcp__sparkle__checkpoint", "/plan a meta moment"]) test(`“${words}” is a command of the agent's: nothing is added`, () => {
    const prompt = [text(words)], wish = readWish(prompt, true);
    equal(wish.prompt, prompt);
    equal(wish.isCommand, true);
  });

  for (const [words, parts] of [["/checkpoint", ["checkpoint"]], ["/checkpoint the parser\nfirst", ["checkpoint", "the parser\nfirst"]], ["  /checkpoint  ", ["checkpoint"]], ["/checkpoint after a meta moment", ["checkpoint", "after a meta moment", "meta-moment"]]] as const)
    test(`“${words}” asks for a checkpoint`, () => {
      const wish = readWish([IMAGE, text(words), text("more")], true);
      deepEqual(partsOf(wish.prompt), ["(no text)", ...parts.slice(0, words.includes("meta") ? -1 : undefined), "more", ...(words.includes("meta") ? ["meta-moment"] : [])]);
      equal(wish.isCommand, false);
    });

  test("an agent's own /checkpoint is the agent's", () => {
    const prompt = [text("/checkpoint now")];
    deepEqual(readWish(prompt, false), { prompt, isCommand: true });
  });

  test("a meta moment is said in any case, as words", () => {
    for (const words of ["meta moment", "A Meta Moment, please", "META\nMOMENT!", "“meta moment”"]) equal(isMetaMoment(words), true, words);
    for (const words of ["metamoment", "meta moments", "a parameta moment", "meta-moment", "meta", "öMeta moment_"]) equal(isMetaMoment(words), false, words);
    deepEqual(partsOf(readWish([text("so, meta moment"), IMAGE], true).prompt), ["so, meta moment", "(no text)", "meta-moment"]);
    const [, , added] = readWish([text("a"), text("meta moment")], true).prompt;
    match(JSON.stringify(added), /save_insight.*"annotations":\{"audience":\["assistant"\]\}/);
  });

  test("blocks that are none are left alone", () => deepEqual(readWish([null, 7, { type: "text" }, { type: "text", text: 7 }], true), { prompt: [null, 7, { type: "text" }, { type: "text", text: 7 }], isCommand: false }));

  test("our command stands behind the agent's, unless it has one of that name", () => {
    const theirs = { name: "checkpoint", description: "theirs" }, other = { name: "plan", description: "" };
    deepEqual(withCheckpoint([other, null]), [other, null, CHECKPOINT_COMMAND]);
    deepEqual(withCheckpoint([theirs, other]), [theirs, other]);
    deepEqual([hasCheckpoint([other]), hasCheckpoint([theirs])], [false, true]);
  });
});
