import { deepEqual, throws } from "node:assert/strict";
import type { Distribution } from "../../../src/protocol/agents/distribution";
import { commandOf } from "./agent-command";

suite("agent command", () => {
  const typed = (distribution: Distribution): string => {
    const command = commandOf({ name: "Ada", distribution });
    return command.kind === "process" ? [command.command, ...command.args].join(" ") : command.kind;
  };

  test("starts a program, and a package with its tool", () => {
    deepEqual(
      (
        [
          { local: { command: "/ada", args: ["--acp"] } },
          { executable: { path: "/ada" } },
          { symposium: { subcommand: "eliza" } },
          { npx: { package: "@s/ada@1.0.0", args: ["--acp"] } },
          { npx: { package: "@s/ada@1.0.0", cmd: "ada-acp", args: ["x"] } },
          { uvx: { package: "ada==1.0.0", args: ["acp"] } },
          { uvx: { package: "ada==1.0.0", cmd: "ada-acp" } },
          { pipx: { package: "ada", args: ["acp"] } },
          { pipx: { package: "ada", cmd: "ada-acp" } },
        ] satisfies Distribution[]
      ).map(typed),
      [
        "/ada --acp",
        "/ada",
        "eliza",
        "npx -y @s/ada@1.0.0 --acp",
        "npx -y --package @s/ada@1.0.0 ada-acp x",
        "uvx ada==1.0.0 acp",
        "uvx --from ada==1.0.0 ada-acp",
        "pipx run ada acp",
        "pipx run --spec ada ada-acp",
      ],
    );
  });

  test("contains the environment", () =>
    deepEqual(commandOf({ name: "Ada", distribution: { npx: { package: "ada", env: { KEY: "v" } } } }), {
      kind: "process",
      command: "npx",
      args: ["-y", "ada"],
      env: { KEY: "v" },
    }));

  test("uses the first documented distribution", () =>
    deepEqual(typed({ uvx: { package: "u" }, npx: { package: "n" }, local: { command: "l" } }), "l"));

  test("throws if an installation is required first", () =>
    throws(() => typed({ cargo: { crate: "ada" } }), /Ada has no command for this computer/));
});
