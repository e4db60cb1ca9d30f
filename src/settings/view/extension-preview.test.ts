import { equal } from "node:assert/strict";
import { previewText } from "./extension-preview";

suite("preview of extensions", () => {
  test("contains the text of each built-in extension, and names those whose text is unknown", () =>
    equal(
      previewText(
        [
          { id: "sparkle", name: "Sparkle", _source: "built-in" },
          { id: "cargo", name: "Cargo", _source: "built-in" },
          { id: "house", name: "House rules", _source: "custom" },
          { id: "ferris", name: "Ferris", _source: "built-in" },
        ],
        [{ id: "sparkle", text: "Be brief." }, { id: "cargo" }],
      ),
      [
        "These agent extensions are on. This is what they add to the text that an agent receives from you.",
        "# Sparkle",
        "Added after your first prompt of a session, or to the system prompt of an agent that supports it:",
        "Be brief.",
        "# Cargo",
        "Adds no text to prompts. It offers tools to the agent.",
        "# House rules",
        "A separate program, whose text is unknown before it runs. Each prompt that it changes shows its additions.",
        "# Ferris",
        "Its text could not be read. See the log.",
        "",
      ].join("\n\n"),
    ));
});
