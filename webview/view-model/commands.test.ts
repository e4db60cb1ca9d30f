import { deepEqual, equal } from "node:assert/strict";
import { fitting, hintFor, isWhole } from "./commands";

const COMMANDS = [
  { name: "review", description: "Look at the changes", hint: "what\nto review" },
  { name: "pr:create", description: "Opens a pull request" },
  { name: "create_plan", description: "Plans" },
  { name: "two words", description: "" },
  { name: "", description: "" },
];
const found = (typed: string) => fitting(COMMANDS, typed).map(({ text }) => text);

suite("commands", () => {
  test("a slash alone shows all that can be typed, in the agent's order; a text that has none at its start shows nothing", () => {
    deepEqual(found("/"), ["/review", "/pr:create", "/create_plan"]);
    for (const typed of ["", "review", " /", "a/", "/review ", "/review all", "/\n"])
      deepEqual(found(typed), [], typed);
  });

  test("names that begin so come first, then words in them, then the middle, then what is said of them", () => {
    deepEqual(found("/CR"), ["/create_plan", "/pr:create"]);
    deepEqual([found("/vie"), found("/pull"), found("/pu"), found("/zzz")], [["/review"], ["/pr:create"], [], []]);
  });

  test("a name with characters that hide is not offered", () =>
    deepEqual(fitting([{ name: "a\u202e", description: "" }], "/"), []));

  test("a command that stands there whole is known, and says what it takes", () => {
    deepEqual(
      [isWhole(COMMANDS, "/review"), isWhole(COMMANDS, "/revie"), isWhole(COMMANDS, "/review ")],
      [true, false, false],
    );
    deepEqual(
      [
        hintFor(COMMANDS, "/review "),
        hintFor(COMMANDS, "/review"),
        hintFor(COMMANDS, "/review a"),
        hintFor(COMMANDS, "/create_plan"),
        hintFor(COMMANDS, "/zzz"),
      ],
      ["what to review", "what to review", undefined, undefined, undefined],
    );
    equal(hintFor(COMMANDS, ""), undefined);
  });
});
