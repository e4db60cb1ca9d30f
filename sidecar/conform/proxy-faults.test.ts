import { deepEqual, ok } from "node:assert/strict";
import { LOWERS_VERSION, PROXY_FAULTS, RAISES_VERSION } from "../testing/conform/proxy-faults";
import { referenceProxy, type ProxyFault } from "../testing/conform/reference-proxy";
import { hurriedClock } from "../testing/hurried-clock";
import { DEFAULT_LIMITS } from "./driver";
import { runProxyScenarios } from "./proxy-scenarios";
import { judgeAll, type Result } from "./rule";
import { RULES } from "./rules/catalogue";

/** Milliseconds of the kit per millisecond of the test. */
const HURRY = 100;

async function check(fault?: ProxyFault): Promise<readonly Result[]> {
  const conversations = await runProxyScenarios({
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

  test("a proxy for version 1 only passes if it lowers the version, and need not speak version 2", async () => {
    const results = await check(LOWERS_VERSION);
    deepEqual(failed(results), []);
    const [own, later] = results.filter(({ rule }) => rule.id === "proxy/initialize");
    deepEqual([own?.verdict.kind, later?.verdict.kind], ["pass", "notApplicable"]);
  });

  test("a proxy that agrees on a later version than the requested one fails", async () => {
    ok(failed(await check(RAISES_VERSION)).includes("proxy/initialize v1: The proxy agreed on version 2."));
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
