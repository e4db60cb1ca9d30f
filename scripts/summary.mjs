// The last lines of `npm test`: a self-contained summary.
import { sum } from "./suites.mjs";

const FAILURES = 20,
  LINES = 25,
  CHARACTERS = 300;

/** A summary of passed, skipped and failed tests with reasons, as text. `ran`: at least one test ran. */
export function summary(results, { seconds, grep, only = [] }) {
  const total = sum("all", results);
  const ran = results.some(({ name, passed }) => name !== "leftovers" && passed > 0);
  const lines = [
    ...results.map(
      ({ name, passed, failed, skipped, seconds }) =>
        `${name.padEnd(10)} ${String(passed).padStart(5)} passed ${String(failed.length).padStart(4)} ` +
        `failed ${String(skipped.length).padStart(4)} skipped ${String(seconds).padStart(5)} s`,
    ),
    ...total.skipped.map(({ title, reason }) => `skipped: ${title} (${reason})`),
    ...total.failed.flatMap(({ title, message }, i) => [
      `failed: ${title}`,
      ...(i < FAILURES ? beginning(message) : []),
    ]),
    ...(only.length > 0 ? [`only: ${only.join(", ")}`] : []),
    ...(grep === undefined ? [] : [`grep: ${grep}`]),
    ...(ran || total.failed.length > 0 ? [] : ["No test ran."]),
    `${seconds} s`,
    `${total.passed} passed, ${total.failed.length} failed, ${total.skipped.length} skipped`,
  ];
  return { text: lines.join("\n"), ran };
}

/** The first lines contain the error. */
function beginning(message) {
  const lines = String(message).trimEnd().split("\n"),
    remaining = lines.length - LINES;
  const shown = lines.slice(0, LINES).map(line => (line.length <= CHARACTERS ? line : `${line.slice(0, CHARACTERS)}…`));
  return [...shown, ...(remaining > 0 ? [`… and ${remaining} more ${remaining === 1 ? "line" : "lines"}`] : [])].map(
    line => `    ${line}`.trimEnd(),
  );
}
