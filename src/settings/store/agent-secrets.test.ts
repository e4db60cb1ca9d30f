import { deepEqual, doesNotMatch, equal } from "node:assert/strict";
import { AgentSecrets } from "./agent-secrets";

suite("AgentSecrets", () => {
  const fixture = () => {
    const kept = new Map<string, string>(),
      warned: string[] = [],
      found: string[] = [];
    const secrets = new AgentSecrets(
      {
        get: async key => kept.get(key),
        store: async (key, value) => void kept.set(key, value),
        delete: async key => void kept.delete(key),
      },
      { warn: (...given) => void warned.push(JSON.stringify(given)) },
      () => void found.push("key"),
    );
    return { kept, warned, found, secrets };
  };

  test("stores and returns keys per agent", async () => {
    const { secrets } = fixture();
    await secrets.keep("ada", { ADA_KEY: "k" });
    deepEqual([await secrets.environment("ada"), await secrets.environment("eve")], [{ ADA_KEY: "k" }, {}]);
    await secrets.keep("ada", { OTHER: "o" });
    deepEqual(await secrets.environment("ada"), { OTHER: "o" });
  });

  test("reports stored and found keys", async () => {
    const { secrets, kept, found } = fixture();
    await secrets.environment("ada");
    await secrets.keep("ada", {});
    deepEqual(found, []);
    await secrets.keep("ada", { ADA_KEY: "k" });
    deepEqual(found, ["key"]);
    kept.set("symposium.agent.eve", `{"EVE_KEY":"k"}`);
    await secrets.environment("eve");
    deepEqual(found, ["key", "key"]);
  });

  test("deletes an empty set of keys", async () => {
    const { secrets, kept } = fixture();
    await secrets.keep("ada", { ADA_KEY: "k" });
    await secrets.keep("ada", {});
    equal(kept.size, 0);
  });

  test("ignores unreadable content without logging it", async () => {
    const { secrets, kept, warned } = fixture();
    for (const bad of ["{secret", "[]", "7", "null"]) {
      kept.set("symposium.agent.ada", bad);
      deepEqual(await secrets.environment("ada"), {});
    }
    kept.set("symposium.agent.ada", `{"A":"a","B":7}`);
    deepEqual(await secrets.environment("ada"), { A: "a" });
    equal(warned.length, 4);
    doesNotMatch(warned.join(), /\{secret/);
  });
});
