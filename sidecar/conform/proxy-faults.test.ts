import { deepEqual } from "node:assert/strict";
import { PROXY_FAULTS } from "../testing/conform/proxy-faults";
import { referenceProxy, type ProxyFault } from "../testing/conform/reference-proxy";
import { hurriedClock } from "../testing/hurried-clock";
import { DEFAULT_LIMITS } from "./driver";
import { talkToProxy } from "./proxy-scenarios";
import { judgeAll, type Result } from "./rule";
import { RULES } from "./rules/catalogue";

/** Milliseconds of the kit per millisecond of the test. */
const HURRY = 100;

async function check(fault?: ProxyFault): Promise<readonly Result[]> {
  const conversations = await talkToProxy({
    start: () => referenceProxy(fault),
    clock: hurriedClock(HURRY),
    limits: DEFAULT_LIMITS,
    cwd: "/work",
    prompts: [],
  });
  return judgeAll(RULES, "proxy", conversations);
}

const failed = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ rule, version, verdict }) =>
    verdict.kind === "fail" ? [`${rule.id} v${version}: ${verdict.why}`] : [],
  );

suite("conformance rules for proxies", () => {
  test("a proxy that forwards everything passes every rule", async () => {
    const open = (await check()).filter(({ verdict }) => verdict.kind !== "pass");
    deepEqual(
      open.map(({ rule, version, verdict }) => `${rule.id} v${version}: ${"why" in verdict ? verdict.why : ""}`),
      [],
    );
  });

  for (const { rule, fault, why } of PROXY_FAULTS) {
    test(`${rule}: fails if the proxy ${why}, and no other rule does`, async () => {
      const results = await check(fault),
        ids = results.flatMap(one => (one.verdict.kind === "fail" ? [one.rule.id] : []));
      deepEqual([...new Set(ids)], [rule], failed(results).join("\n"));
    });
  }

  test("every rule for proxies has a proxy that breaks it", () => {
    const tested = new Set(PROXY_FAULTS.map(({ rule }) => rule));
    deepEqual(
      RULES.filter(({ program, id }) => program === "proxy" && !tested.has(id)).map(({ id }) => id),
      [],
    );
  });
});
