/** `symposium-acp-agent registry check FILE`: checks a document of the registry for its author. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { readableLine } from "../../../src/protocol/text/visible-text";
import { whyOf } from "../../agents/own-configuration/user-file";
import { withoutMark } from "../json-tree";
import type { CommandReply } from "../runtime/reply";
import { checkEntry } from "./entry-check";

const FORMAT = "https://github.com/symposium-dev/symposium-vscode/blob/main/docs/extensions/publishing.md#the-document";

/** A file named `agent.json` is checked as an agent, any other as an extension. */
export function checkDocument(file: string): CommandReply {
  let text: string;
  try {
    text = withoutMark(readFileSync(file, "utf8"));
  } catch (error) {
    return { code: 1, out: "", notes: [`${file} cannot be read: ${whyOf(error)}`] };
  }
  const findings = checkEntry(text, path.basename(file) === "agent.json" ? "agent" : "extension"),
    errors = findings.filter(({ severity }) => severity === "error").length,
    warnings = findings.length - errors;
  const lines = findings.map(({ severity, line, column, message }) =>
    readableLine(`${file}:${line}:${column}: ${severity}: ${message}`),
  );
  const counts = `${errors} ${errors === 1 ? "error" : "errors"}, ${warnings} ${warnings === 1 ? "warning" : "warnings"}.`;
  return {
    code: errors === 0 ? 0 : 1,
    out: `${[...lines, counts, ...(findings.length > 0 ? [`Format: ${FORMAT}`] : [])].join("\n")}\n`,
    notes: [],
  };
}
