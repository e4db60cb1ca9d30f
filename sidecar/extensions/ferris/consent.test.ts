/** The user's consent to Ferris' lookups with cargo in the workspace. */
import { deepEqual, equal, match } from "node:assert/strict";
import { objectOr, type JsonObject } from "../../rpc/json";
import { FerrisFixture } from "../../testing/extensions/ferris-fixture";
import { resultText } from "../../testing/mcp/mcp-ends";

async function lookUp(settings: JsonObject, optionId: string, times = 1) {
  await using ferris = new FerrisFixture(settings);
  const asked: unknown[] = [];
  ferris.answers = request => {
    asked.push(objectOr(objectOr(request.params).toolCall).title);
    request.respond({ outcome: { outcome: "selected", optionId } });
  };
  await using client = await ferris.client();
  let answer = "";
  for (let i = 0; i < times; i++)
    answer = resultText(await client.callTool({ name: "crate_sources", arguments: { crate_name: "pebble" } }));
  return { asked, answer, runs: ferris.cargoRuns };
}

suite("consent for Ferris' lookups", () => {
  test("starts cargo only after permission", async () => {
    const denied = await lookUp({ approve: "ask" }, "deny");
    deepEqual([denied.asked, denied.runs], [["Look up the crate pebble with cargo"], 0]);
    match(denied.answer, /did not allow/);
    equal((await lookUp({ approve: "ask" }, "allow")).runs > 0, true);
  });

  test("remembers a standing approval for the session, and `approve` allows all", async () => {
    equal((await lookUp({ approve: "ask" }, "always", 3)).asked.length, 1);
    equal((await lookUp({ approve: "ask" }, "allow", 2)).asked.length, 2);
    deepEqual((await lookUp({ approve: "all" }, "deny")).asked, []);
  });
});
