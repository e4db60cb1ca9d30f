import { deepEqual } from "node:assert/strict";
import { meaningOfKey } from "./prompt-keys";

const press = (requireModifier: boolean, rest: Partial<KeyboardEvent> = {}) =>
  meaningOfKey(
    { key: "Enter", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...rest },
    requireModifier,
  );
const keys = [
  {},
  { shiftKey: true },
  { ctrlKey: true },
  { metaKey: true },
  { altKey: true },
  { isComposing: true },
  { key: "a", ctrlKey: true },
];

suite("prompt keys", () => {
  test("sends on Enter, also with Ctrl and Cmd, and inserts a line break on Shift+Enter", () =>
    deepEqual(
      keys.map(key => press(false, key)),
      ["send", "line", "send", "send", "line", undefined, undefined],
    ));
  test("inserts a line break on Enter and sends with a modifier if required", () =>
    deepEqual(
      keys.map(key => press(true, key)),
      ["line", "send", "send", "send", "line", undefined, undefined],
    ));
});
