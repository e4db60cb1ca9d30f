import { deepEqual } from "node:assert/strict";
import { ELIZA } from "../../../src/protocol/agents";
import { withSecrets } from "./command-secrets";
import { commandOf } from "./agent-command";

suite("how an agent is started", () => {
  const asked: string[] = [];
  const command = withSecrets(
    async agent => commandOf(agent),
    async agentId => {
      asked.push(agentId);
      return { env: { ADA_KEY: "kept", ADA_URL: "kept" } };
    },
  );

  test("with its keys; what the settings say counts more", async () =>
    deepEqual(
      await command(
        { id: "ada", name: "Ada", distribution: { local: { command: "ada", env: { ADA_URL: "mine" } } } },
        new AbortController().signal,
      ),
      { kind: "process", command: "ada", args: [], env: { ADA_KEY: "kept", ADA_URL: "mine" } },
    ));

  test("one without a process has none", async () => {
    deepEqual(await command(ELIZA, new AbortController().signal), { kind: "eliza", deterministic: false });
    deepEqual(asked, ["ada"]);
  });
});
