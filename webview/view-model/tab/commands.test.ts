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
  test("shows all commands in the agent's order for a single slash, and none without a leading slash", () => {
    deepEqual(found("/"), ["/review", "/pr:create", "/create_plan"]);
    for (const typed of ["", "review", " /", "a/", "/review ", "/review all", "/\n"])
      deepEqual(found(typed), [], typed);
  });

  test("matches prefixes first, then words, then substrings, then descriptions", () => {
    deepEqual(found("/CR"), ["/create_plan", "/pr:create"]);
    deepEqual([found("/vie"), found("/pull"), found("/pu"), found("/zzz")], [["/review"], ["/pr:create"], [], []]);
  });

  test("excludes a name with hidden characters", () =>
    deepEqual(fitting([{ name: "a\u202e", description: "" }], "/"), []));

  test("recognizes a complete command and shows its hint", () => {
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
