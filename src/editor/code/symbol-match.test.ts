import { deepEqual } from "node:assert/strict";
import { symbolsNamed } from "./symbol-match";

suite("symbols of a name", () => {
  const all = [
    { name: "add", container: "Counter" },
    { name: "add(text)", container: "Sum" },
    { name: "adder", container: "Counter" },
    { name: "push", container: "std::vec::Vec" },
  ];
  const named = (name: string): readonly string[] =>
    symbolsNamed(name, all).map(each => `${each.container} ${each.name}`);

  test("have exactly this name, and its container if one has", () => {
    deepEqual(named("add"), ["Counter add", "Sum add(text)"]);
    deepEqual(named("Sum.add"), ["Sum add(text)"]);
    deepEqual(named("Vec::push"), ["std::vec::Vec push"]);
    deepEqual(named("other.add"), ["Counter add", "Sum add(text)"]);
    deepEqual([named("none"), named("")], [[], []]);
  });
});
