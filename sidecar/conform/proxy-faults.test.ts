import { deepEqual, ok } from "node:assert/strict";
import { LOWERS_VERSION, PROXY_FAULTS, RAISES_VERSION } from "../testing/conform/proxy-faults";
import { referenceProxy, type ProxyFault } from "../testing/conform/reference-proxy";
import { unbroken } from "../testing/conform/rules-without-fault";
import { hurriedClock } from "../testing/accelerated-clock";
import { DEFAULT_LIMITS } from "./driver";
import { runProxyScenarios } from "./proxy-scenarios";
import { judgeAll, type Result } from "./rule";
import { RULES } from "./rules/catalogue";

/** Milliseconds of the kit per millisecond of the test. */
const SPEEDUP = 100;

async function check(fault?: ProxyFault): Promise<readonly Result[]> {
  const conversations = await runProxyScenarios({
    start: () => referenceProxy(fault),
    clock: hurriedClock(SPEEDUP),
    limits: DEFAULT_LIMITS,
    cwd: "/project",
    prompts: [],
  });
  return judgeAll(RULES, "proxy", conversations);
}

const failed = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ rule, version, verdict }) =>
    verdict.kind === "fail" ? [`${rule.id} v${version}: ${verdict.why}`] : [],
  );

suite("conformance rules for proxies", () => {
  test("passes for a proxy that forwards everything", async () => {
    const open = (await check()).filter(({ verdict }) => verdict.kind !== "pass");
    deepEqual(
      open.map(({ rule, version, verdict }) => `${rule.id} v${version}: ${"why" in verdict ? verdict.why : ""}`),
      [],
    );
  });

  test("passes for a version 1 proxy that lowers the version", async () => {
    const results = await check(LOWERS_VERSION);
    deepEqual(failed(results), []);
    const [own, later] = results.filter(({ rule }) => rule.id === "proxy/initialize");
    deepEqual([own?.verdict.kind, later?.verdict.kind], ["pass", "notApplicable"]);
  });

  test("fails for a proxy that raises the version", async () => {
    ok(failed(await check(RAISES_VERSION)).includes("proxy/initialize v1: The proxy agreed on version 2."));
  });

  const runs = new Map<object, Promise<readonly Result[]>>();
  const checked = (fault: (typeof PROXY_FAULTS)[number]["fault"]): Promise<readonly Result[]> => {
    const run = runs.get(fault) ?? check(fault);
    runs.set(fault, run);
    return run;
  };
  for (const { rule, fault, why } of PROXY_FAULTS) {
    test(`fails only ${rule} for a proxy that ${why}`, async () => {
      const results = await checked(fault),
        ids = results.flatMap(result => (result.verdict.kind === "fail" ? [result.rule.id] : []));
      deepEqual([...new Set(ids)], [rule], failed(results).join("\n"));
    });
  }

  test("has a proxy that breaks each rule in each of its versions", async () => {
    deepEqual(unbroken("proxy", await Promise.all(PROXY_FAULTS.map(({ fault }) => checked(fault)))), []);
  });
});
