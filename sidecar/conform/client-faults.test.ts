import { deepEqual, equal } from "node:assert/strict";
import { CLIENT_FAULTS, USES_EARLIER_SESSION } from "../testing/conform/client-faults";
import { referenceClient, type ClientFault } from "../testing/conform/reference-client";
import { unbroken } from "../testing/conform/rules-without-fault";
import { hurriedClock } from "../testing/accelerated-clock";
import { serveClient } from "./client-scenario";
import { exchanges } from "./conversation";
import { DEFAULT_LIMITS, type Subject } from "./driver";
import type { Conversation } from "./recording";
import { judgeAll, type Result } from "./rule";
import { RULES } from "./rules/catalogue";
import { VERSIONS, type Version } from "./schema";

/** Milliseconds of the kit per millisecond of the test. */
const SPEEDUP = 100;

function serve(version: Version, client: Subject): Promise<Conversation> {
  const clock = hurriedClock(SPEEDUP);
  // Simulates a user who closes a client that never ends its turn.
  clock.after(10 * DEFAULT_LIMITS.responseMs, () => void client.stop());
  return serveClient({ client, version, clock, limits: DEFAULT_LIMITS, name: `agent-v${version}` });
}

async function check(fault?: ClientFault): Promise<readonly Result[]> {
  const conversations = await Promise.all(VERSIONS.map(version => serve(version, referenceClient(version, fault))));
  return judgeAll(RULES, "client", conversations);
}

const failed = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ rule, version, verdict }) =>
    verdict.kind === "fail" ? [`${rule.id} v${version}: ${verdict.why}`] : [],
  );

suite("conformance rules for clients", () => {
  test("passes for a client without faults", async () => {
    const open = (await check()).filter(({ verdict }) => verdict.kind !== "pass");
    deepEqual(
      open.map(({ rule, version, verdict }) => `${rule.id} v${version}: ${"why" in verdict ? verdict.why : ""}`),
      [],
    );
  });

  test("passes for a version 2 client that lists, resumes and closes earlier sessions", async () => {
    const conversation = await serve(2, referenceClient(2, USES_EARLIER_SESSION));
    deepEqual(failed(judgeAll(RULES, "client", [conversation])), []);
    const results = exchanges(conversation, "fromProgram", "session/list", "session/resume", "session/close").map(
      ({ response }) => response?.message.result,
    );
    deepEqual(results, [{ sessions: [] }, {}, {}]);
  });

  test("checks a version 1 client in a version 1 conversation", async () => {
    const conversation = await serve(2, referenceClient(1));
    equal(conversation.version, 1);
    deepEqual(failed(judgeAll(RULES, "client", [conversation])), []);
  });

  const runs = new Map<object, Promise<readonly Result[]>>();
  const checked = (fault: (typeof CLIENT_FAULTS)[number]["fault"]): Promise<readonly Result[]> => {
    const run = runs.get(fault) ?? check(fault);
    runs.set(fault, run);
    return run;
  };
  for (const { rule, fault, why } of CLIENT_FAULTS) {
    test(`fails only ${rule} for a client that ${why}`, async () => {
      const results = await checked(fault),
        ids = results.flatMap(result => (result.verdict.kind === "fail" ? [result.rule.id] : []));
      deepEqual([...new Set(ids)], [rule], failed(results).join("\n"));
    });
  }

  test("has a client that breaks each rule in each of its versions", async () => {
    deepEqual(unbroken("client", await Promise.all(CLIENT_FAULTS.map(({ fault }) => checked(fault)))), []);
  });
});
