import { deepEqual } from "node:assert/strict";
import { ELIZA } from "../../../src/protocol/agents/agents";
import { withSecrets } from "./stored-keys";
import { commandOf } from "./agent-command";

suite("secrets in agent commands", () => {
  const requested: string[] = [];
  const command = withSecrets(
    async agent => commandOf(agent),
    async agentId => {
      requested.push(agentId);
      return { env: { ADA_KEY: "kept", ADA_URL: "kept" } };
    },
  );

  test("is merged below the environment of the settings", async () =>
    deepEqual(
      await command(
        { id: "ada", name: "Ada", distribution: { local: { command: "ada", env: { ADA_URL: "mine" } } } },
        new AbortController().signal,
      ),
      { kind: "process", command: "ada", args: [], env: { ADA_KEY: "kept", ADA_URL: "mine" } },
    ));

  test("is not read for a built-in agent without a process", async () => {
    deepEqual(await command(ELIZA, new AbortController().signal), { kind: "eliza", deterministic: false });
    deepEqual(requested, ["ada"]);
  });
});
