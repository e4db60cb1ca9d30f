import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { notificationText } from "./notification-text";

suite("notification text", () => {
  const texts: readonly (readonly [text: string, shown: string])[] = [
    ["my-crate was added.", "my-crate was added."],
    [
      "Add e.com/[Show](command:workbench.action.tasks.build)?",
      "Add e.com/[Show] (command:workbench.action.tasks.build)?",
    ],
    ["[a](https://e.com) [b](file:///etc/passwd)", "[a] (https://e.com) [b] (file:///etc/passwd)"],
    ["[a]](command:x)", "[a]] (command:x)"],
    ["[a]\n(command:x)\u202E", "[a] (command:x)⟦U+202E⟧"],
    ["list[0] (first)", "list[0] (first)"],
  ];
  for (const [text, shown] of texts)
    test(`shows ${JSON.stringify(text)} without links`, () => equal(notificationText(text), shown));

  test("contains no link for any text", () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom("[", "]", "(", ")", "a", " ", "\n", "\u200B", "command:x")), parts =>
        ok(!/\][(]/.test(notificationText(parts.join("")))),
      ),
    ));
});
