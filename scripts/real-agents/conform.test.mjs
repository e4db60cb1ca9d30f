// Checks published agents with the conformance kit (docs/conform.md), directly. The agents keep all mandatory rules
// except the exceptions in agents.mjs.
import { deepEqual, ok } from "node:assert/strict";
import { AGENTS } from "./agents.mjs";
import { node } from "../project.mjs";
import { testsOf } from "./matrix.mjs";
import { onStage } from "./stage.mjs";
import { agentTimeLimit } from "./throttled.mjs";

/** Milliseconds for one response, on an idle machine. */
const RESPONSE_MS = 30_000;
const PROMPTS = ["text", "shell"].flatMap(scenario => ["--prompt", `Please do the thing. @@scenario:${scenario}`]);

for (const agent of AGENTS)
  suite(`protocol rules for ${agent.name}`, () => {
    const it = testsOf(agent);

    it("conform", "violates only known rules", () =>
      onStage(agent, async ({ command, bin }) => {
        const seconds = String(Math.ceil(agentTimeLimit(RESPONSE_MS) / 1000));
        const program = ["/bin/sh", "-c", `exec ${command}`];
        const { text } = await node(
          "dist/sidecar.js",
          ["conform", "agent", "--json", "--timeout", seconds, ...PROMPTS, "--", ...program],
          { cwd: bin, output: "hold" },
        );
        const start = text.indexOf("{");
        ok(start >= 0, text);
        const { summary, results } = JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
        const broken = results.filter(({ result }) => result === "fail");
        console.log(
          `      ${Object.entries(summary)
            .map(([name, count]) => `${name}: ${count}`)
            .join(", ")}`,
        );
        for (const { rule, version, severity, why } of broken)
          console.log(`      ${rule}, version ${version}, ${severity}: ${why}`);
        const must = broken.filter(({ severity }) => severity === "must").map(({ rule }) => rule);
        const { breaks, mayBreak = [] } = agent;
        deepEqual(
          [...new Set(must)].filter(rule => !mayBreak.includes(rule)),
          breaks,
        );
      }),
    );
  });
