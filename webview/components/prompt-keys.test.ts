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

suite("keys of the prompt", () => {
  test("Enter sends, with Ctrl and Cmd too; Shift+Enter begins a line", () =>
    deepEqual(
      keys.map(key => press(false, key)),
      ["send", "line", "send", "send", "line", undefined, undefined],
    ));
  test("where a modifier is required Enter begins a line, and Shift, Ctrl or Cmd with it sends", () =>
    deepEqual(
      keys.map(key => press(true, key)),
      ["line", "send", "send", "send", "line", undefined, undefined],
    ));
});
