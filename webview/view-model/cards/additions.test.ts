import { deepEqual, equal } from "node:assert/strict";
import { additionView } from "./additions";

suite("additions to a prompt", () => {
  test("are summarized by extension, size and target", () =>
    deepEqual(
      (["prompt", "system"] as const).map(
        to => additionView({ id: "sparkle", name: "Sparkle", to, text: "x", bytes: 1_200 }).summary,
      ),
      ["Sparkle added 1.2 kB", "Sparkle added 1.2 kB to the system prompt"],
    ));

  test("show invisible characters of foreign names and texts", () => {
    const { summary, text } = additionView({
      id: "x",
      name: "A\u202eda",
      to: "prompt",
      text: "a\u202eb\nc",
      bytes: 7,
    });
    equal(/\u202e/u.test(summary + text), false);
    equal(text.includes("\n"), true);
  });
});
