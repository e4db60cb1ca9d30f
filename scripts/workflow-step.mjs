// Reads the scripts of GitHub workflows, so that tests can run their steps.
import { readFileSync } from "node:fs";

/** The script of the step with this name. Throws if the workflow has no such step. */
export function stepScript(workflow, name) {
  const lines = readFileSync(workflow, "utf8").split("\n"),
    step = lines.findIndex(line => [`name: ${name}`, `- name: ${name}`].includes(line.trim())),
    start = lines.findIndex((line, i) => i > step && line.trim() === "run: |"),
    indent = (lines[start] ?? "").indexOf("run:") + 2;
  const length = lines.slice(start + 1).findIndex(line => line.trim() !== "" && line.search(/\S/) < indent);
  if (step === -1 || start === -1 || length <= 0) throw new Error(`${workflow} has no step “${name}”.`);
  return lines
    .slice(start + 1, start + 1 + length)
    .map(line => line.slice(indent))
    .join("\n");
}
