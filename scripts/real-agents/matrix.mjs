// The matrix of `npm run test:agents`: the checks that each agent passed, and the numbers of extension tools. Tests
// append to the file that SYMPOSIUM_AGENTS_MATRIX names, so that an interrupted run keeps its results.
import { appendFileSync } from "node:fs";

/** The checks, in the order of the columns. */
export const CHECKS = [
  "alone",
  "chat",
  "chain",
  "tools",
  "sessions",
  "one tool",
  "three tools",
  "command",
  "details",
  "restart",
  "list",
  "branches",
  "review",
  "doctor",
  "conform",
];
const COUNTS = ["offered", "connected", "listed", "called"];

const file = process.env.SYMPOSIUM_AGENTS_MATRIX;
const append = entry => {
  if (file) appendFileSync(file, `${JSON.stringify(entry)}\n`);
};

/** Mocha's `test` for one agent: `it(check, title, body)`. */
export const testsOf = agent => (check, title, body) =>
  test(title, async function () {
    const entry = { agent: agent.id, check, title: this.test.fullTitle() };
    append({ ...entry, outcome: "started" });
    try {
      await body.call(this);
      append({ ...entry, outcome: "passed" });
    } catch (error) {
      append({ ...entry, outcome: this.skipReason === undefined ? "failed" : "skipped" });
      throw error;
    }
  });

/**
 * Adds to an agent's numbers: tools that were `offered`, tools of `connected` servers, `listed` tools, and `called`
 * tools.
 */
export const addCounts = (agent, counts) => append({ agent: agent.id, counts });

/** Formats the matrix from the lines that the tests appended. A test that did not end counts as failed. */
export function matrix(lines) {
  const rows = new Map();
  for (const { agent, check, title, outcome, counts } of lines.map(line => JSON.parse(line))) {
    const row = rows.get(agent) ?? { outcomes: new Map(), counts: {} };
    rows.set(agent, row);
    if (counts) for (const name of COUNTS) row.counts[name] = (row.counts[name] ?? 0) + (counts[name] ?? 0);
    else row.outcomes.set(`${check}\0${title}`, outcome);
  }
  return aligned([
    ["agent", ...CHECKS, ...COUNTS],
    ...[...rows].map(([agent, { outcomes, counts }]) => [
      agent,
      ...CHECKS.map(check => passedOf(outcomes, check)),
      ...COUNTS.map(name => String(counts[name] ?? NONE)),
    ]),
  ]);
}

const NONE = "–";

/** Number of passed tests out of all tests that were not skipped. */
function passedOf(outcomes, check) {
  const ended = [...outcomes].filter(([key, outcome]) => key.startsWith(`${check}\0`) && outcome !== "skipped");
  return ended.length === 0 ? NONE : `${ended.filter(([, outcome]) => outcome === "passed").length}/${ended.length}`;
}

/** Aligns the first column to the left, all others to the right. */
function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)));
  return rows.map(([first, ...others]) =>
    [first.padEnd(widths[0]), ...others.map((text, i) => text.padStart(widths[i + 1]))].join("  "),
  );
}
