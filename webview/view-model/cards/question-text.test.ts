import { equal, match, ok } from "node:assert/strict";
import type { Permission } from "../../../src/protocol/chat/chat";
import type { Elicitation } from "../../../src/protocol/chat/elicitation";
import { questionText, requesterText } from "./question-text";

const permission = (rest: Partial<Permission>): Permission => ({
  kind: "permission",
  id: "q",
  agent: "Eliza",
  toolEntryId: "t",
  title: "Go",
  toolKind: "other",
  content: [],
  options: [],
  ...rest,
});
const asking = (rest: Partial<Elicitation>): Elicitation => ({
  kind: "elicitation",
  id: "f",
  agent: "Eliza",
  message: "Your **name**?",
  ask: { mode: "form", fields: [] },
  ...rest,
});

suite("question text", () => {
  test("names the agent and the kind of action", () => {
    equal(requesterText(permission({ toolKind: "execute" })), "Eliza requests permission to run a command");
    equal(requesterText(permission({ toolKind: "constructor" })), "Eliza requests your permission");
    equal(requesterText(asking({})), "Eliza has a question");
    equal(requesterText(asking({ ask: { mode: "form", purpose: "signIn", fields: [] } })), "Sign in to Eliza");
    equal(
      requesterText(asking({ ask: { mode: "url", url: "https://e.org/", elicitationId: "e" } })),
      "Eliza asks you to visit a page",
    );
  });

  test("contains the whole command and the other parameters by name", () => {
    equal(
      questionText(
        permission({
          title: "Clean up",
          input: JSON.stringify({ command: "rm -r build\n# and more", cwd: "/srv", force: true }, null, 2),
        }),
      ),
      "Clean up. command: rm -r build # and more. cwd: /srv. force: true.",
    );
    equal(questionText(permission({ input: "rm -r build" })), "Go. rm -r build.");
    equal(questionText(permission({ input: `["a"]` })), `Go. ["a"].`);
  });

  test("reports the length of omitted text", () =>
    match(
      questionText(permission({ input: `echo ${"a".repeat(3_000)}; rm -rf /` })),
      /^Go\. echo a+… and 1015 more characters, shown on the card\.$/,
    ));

  test("shows hidden characters", () =>
    ok(questionText(permission({ title: "rm \u202e", input: "txt\u202e" })).includes("rm ⟦U+202E⟧. txt⟦U+202E⟧")));

  test("names the file of a diff and its changed lines", () => {
    const diff = { kind: "diff", path: "/a.ts", newText: "one\ntwo\nthree\n" } as const;
    equal(
      questionText(permission({ content: [{ ...diff, oldText: "one\n2\nthree\n" }, diff] })),
      "Go. Changes /a.ts: 1 line added, 1 removed. Creates /a.ts, 3 lines.",
    );
  });

  test("contains an agent's message without Markdown and the whole address", () => {
    equal(questionText(asking({})), "Your name?");
    equal(questionText(asking({ ask: { mode: "form", title: "About you", fields: [] } })), "Your name? About you.");
    equal(
      questionText(asking({ ask: { mode: "url", url: "https://e.org/?a=1", elicitationId: "e" } })),
      "Your name? The page is https://e.org/?a=1.",
    );
  });
});
