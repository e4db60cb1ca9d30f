import { deepEqual } from "node:assert/strict";
import { unbroken } from "../testing/conform/rules-without-fault";
import { hurriedClock } from "../testing/accelerated-clock";
import { AGENT_FAULTS } from "../testing/conform/agent-faults";
import { both, refuses } from "../testing/conform/fault-hooks";
import { memorySubject } from "../testing/conform/memory-subject";
import { ReferenceAgent, type Fault, type Store } from "../testing/conform/reference-agent";
import { runAgentScenarios } from "./agent-scenarios";
import { DEFAULT_LIMITS } from "./driver";
import { judgeAll, type Result } from "./rule";
import { UNKNOWN_SESSION } from "./rules/agent-initialize-rules";
import { RULES } from "./rules/catalogue";

/** Milliseconds of the kit per millisecond of the test. */
const SPEEDUP = 100;

async function check(fault?: Fault): Promise<readonly Result[]> {
  const store: Store = new Map();
  const conversations = await runAgentScenarios({
    start: () => memorySubject(serving => new ReferenceAgent(serving, store, fault)),
    clock: hurriedClock(SPEEDUP),
    limits: DEFAULT_LIMITS,
    cwd: "/project",
    prompts: ["Hello"],
    auth: "conform",
  });
  return judgeAll(RULES, "agent", conversations);
}

const failing = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ rule, version, verdict }) =>
    verdict.kind === "fail" ? [`${rule.id} v${version}: ${verdict.why}`] : [],
  );
const failingIds = (results: readonly Result[]): readonly string[] => [
  ...new Set(results.flatMap(({ rule, verdict }) => (verdict.kind === "fail" ? [rule.id] : []))),
];

suite("conformance rules for agents", () => {
  test("passes for an agent without faults, except rules that its conversations cannot show", async () => {
    const results = await check();
    deepEqual(failing(results), []);
    const open = results
      .filter(({ verdict }) => verdict.kind !== "pass")
      .map(({ rule, version }) => `${rule.id} v${version}`);
    deepEqual(open, ["agent/auth-methods v1", "agent/unadvertised v1", "agent/auth-methods v2"]);
  });

  test("passes for an agent that rejects an older version with the error of version 2", async () => {
    deepEqual(failing(await check(refuses("initialize", -32022, ({ protocolVersion }) => protocolVersion === 0))), []);
  });

  test("passes for an agent that rejects sessions without a turn if its prompts fail", async () => {
    const noTurn = refuses("session/prompt", -32603, ({ sessionId }) => sessionId !== UNKNOWN_SESSION);
    const fault = ["session/load", "session/resume", "session/fork"]
      .map(method => refuses(method, -32002))
      .reduce(both, noTurn);
    const opening = (await check(fault)).filter(({ rule }) => /^agent\/(load|resume|fork)$/.test(rule.id));
    deepEqual(
      opening.map(({ rule, version, verdict }) => `${rule.id} v${version} ${verdict.kind}`),
      [1, 2].flatMap(version =>
        ["load", "resume", "fork"].flatMap(id =>
          id === "load" && version === 2 ? [] : [`agent/${id} v${version} notSeen`],
        ),
      ),
    );
  });

  const runs = new Map<object, Promise<readonly Result[]>>();
  const checked = (fault: (typeof AGENT_FAULTS)[number]["fault"]): Promise<readonly Result[]> => {
    const run = runs.get(fault) ?? check(fault);
    runs.set(fault, run);
    return run;
  };
  for (const { rule, fault, why } of AGENT_FAULTS) {
    test(`fails only ${rule} for an agent that ${why}`, async () => {
      const results = await checked(fault);
      deepEqual(failingIds(results), [rule], failing(results).join("\n"));
    });
  }

  test("has an agent that breaks each rule in each of its versions", async () => {
    deepEqual(unbroken("agent", await Promise.all(AGENT_FAULTS.map(({ fault }) => checked(fault)))), []);
  });
});
