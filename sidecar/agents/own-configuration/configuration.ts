/**
 * Adds Symposium's entry to the text of an agent's own configuration and removes it, in every format (issue 14 item 5).
 * Pure.
 *
 *   absent ── add ──▶ added ── remove ──▶ absent      added ── Symposium updated or moved ──▶ outdated ── add ──▶ added
 *                       └── edited, or written by another program ──▶ refused: nothing is changed
 *
 * Invariants:
 * - Removing an added entry restores the text byte for byte.
 * - Adding is idempotent.
 * - A refused text is not changed.
 * - Only the entry changes.
 */
import { isDeepStrictEqual } from "node:util";
import type { ConfigurationFormat } from "../../../src/protocol/agents/own-configuration";
import type { ShimProgram } from "../../mcp/shim";
import { ConfigurationError, EditedEntryError, ENTRY, entryFor, programIn } from "./symposium-entry";
import { jsonEntry, withJsonValues, withoutJsonEntry } from "./json-entry";
import { tomlBlock, tomlEntry, withTomlEntry, withoutTomlEntry } from "./toml-entry";

/**
 * Returns the program of Symposium's entry. Undefined: the entry does not exist. Throws `ConfigurationError`, also for
 * an entry that Symposium did not write.
 */
export function programOfEntry(text: string, format: ConfigurationFormat): ShimProgram | undefined {
  if (format === "codex") return tomlProgram(text);
  const entry = jsonEntry(text, listNameOf(format));
  if (entry === undefined) return undefined;
  return programIn(format, entry) ?? edited();
}

/** `text` undefined: the file does not exist. Throws `ConfigurationError`. */
export function withEntry(text: string | undefined, format: ConfigurationFormat, program: ShimProgram): string {
  const given = text ?? "",
    before = programOfEntry(given, format);
  if (before && isDeepStrictEqual(before, program)) return given;
  const withoutOldEntry = before ? (withoutEntry(given, format, undefined) ?? "") : given,
    entry = entryFor(format, program);
  const after =
    format === "codex"
      ? withTomlEntry(withoutOldEntry, entry)
      : withJsonValues(withoutOldEntry, { [listNameOf(format)]: { [ENTRY]: entry } });
  if (!isDeepStrictEqual(programOfEntry(after, format), program))
    throw new ConfigurationError("the entry could not be added in its form.");
  return after;
}

/**
 * `original`: the text before the entry was added. Undefined: the file did not exist, or its text is unknown. Returns
 * undefined if the file should be deleted because it contains only the entry. Throws `ConfigurationError`.
 */
export function withoutEntry(
  text: string,
  format: ConfigurationFormat,
  original: string | undefined,
): string | undefined {
  const program = programOfEntry(text, format);
  if (!program) return text;
  if (withEntryOf(original, format, program) === text) return original;
  const after =
    format === "codex"
      ? (withoutTomlEntry(text, entryFor(format, program)) ?? edited())
      : withoutJsonEntry(text, listNameOf(format));
  if (programOfEntry(after, format)) throw new ConfigurationError("the entry could not be removed from its form.");
  return after;
}

/** Returns the added lines for display. */
export function entryText(format: ConfigurationFormat, program: ShimProgram): string {
  const entry = entryFor(format, program);
  return format === "codex"
    ? tomlBlock(entry, "\n").trimEnd()
    : `${JSON.stringify(listNameOf(format))}: ${JSON.stringify({ [ENTRY]: entry }, undefined, 2)}`;
}

function withEntryOf(
  original: string | undefined,
  format: ConfigurationFormat,
  program: ShimProgram,
): string | undefined {
  try {
    return original === undefined || !programOfEntry(original, format)
      ? withEntry(original, format, program)
      : undefined;
  } catch {
    return undefined;
  }
}

function listNameOf(format: ConfigurationFormat): string {
  return format === "opencode" ? "mcp" : "mcpServers";
}

function edited(): never {
  throw new EditedEntryError();
}

/** Compares the lines of the entry verbatim, because Symposium writes only one form. */
function tomlProgram(text: string): ShimProgram | undefined {
  const found = tomlEntry(text);
  if (found === "absent") return undefined;
  const { lines } = found,
    value = (name: string): unknown => {
      const line = lines.find(item => item.startsWith(`${name} = `));
      try {
        return line === undefined ? undefined : JSON.parse(line.slice(name.length + 3));
      } catch {
        return undefined;
      }
    };
  const [script] = Array.isArray(value("args")) ? (value("args") as unknown[]) : [],
    command = value("command");
  if (typeof command !== "string" || typeof script !== "string") return edited();
  const program = { command, script, electron: lines.some(line => line.startsWith("env = ")) };
  const [, ...expected] = tomlBlock(entryFor("codex", program), "\n").trimEnd().split("\n");
  return isDeepStrictEqual(lines, expected) ? program : edited();
}
