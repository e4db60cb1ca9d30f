import { deepEqual, equal, match } from "node:assert/strict";
import { readCommand, type Command } from "./command";

suite("command line", () => {
  const TABLE: readonly [string, Command][] = [
    ["serve", { kind: "serve" }], ["reap", { kind: "reap" }], ["eliza", { kind: "eliza", deterministic: false }],
    ["eliza --deterministic", { kind: "eliza", deterministic: true }], ["--deterministic eliza", { kind: "eliza", deterministic: true }],
    ["--help", { kind: "help" }], ["eliza -h", { kind: "help" }], ["--version", { kind: "version" }],
  ];
  for (const [line, command] of TABLE) test(line, () => deepEqual(readCommand(line.split(" ")), command));

  for (const [line, says] of [["", /missing/], ["elisa", /no command “elisa”/], ["eliza now", /“now” is too much/], ["serve --deterministic", /goes with eliza/], ["eliza --fast", /--fast/]] as const)
    test(`refused: ${line || "(nothing)"}`, () => {
      const command = readCommand(line === "" ? [] : line.split(" "));
      equal(command.kind, "wrong");
      match(command.kind === "wrong" ? command.message : "", says);
      match(command.kind === "wrong" ? command.message : "", /--help/);
    });
});
