/**
 * Content of a permission request, as Markdown: a command, an address, or the parameters with their names. Pure.
 *
 * Invariants:
 * - Each parameter is shown in full, with visible hidden characters. Omitted are those that the card's diffs contain.
 */
import * as l10n from "@vscode/l10n";
import type { Permission } from "../../../src/protocol/chat/chat";
import type { Diff } from "../../../src/protocol/chat/diff-places";
import { isFilled, isObject, parseJson, type Fields } from "../../../src/protocol/wire/json";
import { literal } from "../text/markdown-safe";
import { commandIn } from "./command-text";
import { PLAIN, parameterBlock, textBlock } from "./tool-content";
import { relative } from "./tool-line";
import { valueLine, valueList } from "./value-list";

const FOLDERS = ["cwd", "workdir", "working_directory", "directory"];
const ADDRESSES = ["url", "uri", "address"];

/** `cwd`: folder of the session. */
export function permissionBody({ title, toolKind, input, content }: Permission, cwd: string): readonly string[] {
  const given = input === undefined ? undefined : parseJson(input);
  if (input !== undefined && !isObject(given)) return [...titleLines(title), parameterBlock(input)];
  const parameters = isObject(given) ? given : {},
    diffs = content.filter(each => each.kind === "diff");
  if (diffs.length > 0)
    return [
      ...(diffs.some(({ path }) => isNamed(title, path, cwd)) ? [] : titleLines(title)),
      ...rows(outside(diffs, parameters)),
    ];
  const command = toolKind === "execute" || toolKind === "other" ? commandIn(parameters) : undefined;
  if (command !== undefined) return commandLines(command, parameters, title, cwd);
  const address = toolKind === "fetch" ? ADDRESSES.find(name => isFilled(parameters[name])) : undefined;
  if (address !== undefined)
    return [textBlock(String(parameters[address]), PLAIN, "whole"), ...rows(without(parameters, new Set([address])))];
  return [...titleLines(title), ...rows(parameters)];
}

function commandLines(
  { name, command }: { readonly name: string; readonly command: string },
  parameters: Fields,
  title: string,
  cwd: string,
): readonly string[] {
  const folderName = FOLDERS.find(each => isFilled(parameters[each])),
    folder = folderName === undefined ? undefined : String(parameters[folderName]);
  return [
    // The title of most agents is the command.
    ...(isSame(title, command) ? [] : titleLines(title)),
    textBlock(command, "sh", "whole"),
    ...(folder === undefined || folder === cwd ? [] : [l10n.t`in ${literal(relative(folder, cwd))}`]),
    ...rows(without(parameters, new Set([name, ...(folderName === undefined ? [] : [folderName])]))),
  ];
}

const isSame = (title: string, command: string): boolean =>
  title.trim().replace(/^`+|`+$/g, "") === command.trim() || title.trim() === `$ ${command.trim()}`;

/** Whether the title is a verb and the name of the file, which the diff shows. */
function isNamed(title: string, path: string, cwd: string): boolean {
  const line = title.trim().replaceAll("`", ""),
    name = [path, relative(path, cwd)].find(each => line.endsWith(each));
  return name !== undefined && /^[\p{L} ]{0,20}$/u.test(line.slice(0, line.length - name.length));
}

const titleLines = (title: string): readonly string[] => (title.trim() === "" ? [] : [`**${literal(title)}**`]);

/** The parameters that none of the diffs shows. */
function outside(diffs: readonly Diff[], parameters: Fields): Fields {
  const isShown = (value: unknown): boolean =>
    typeof value === "string" &&
    diffs.some(
      ({ path, oldText = "", newText }) => path === value || oldText.includes(value) || newText.includes(value),
    );
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => !isShown(value)));
}

const without = (parameters: Fields, names: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.has(name)));

/** One line for each parameter, and a block for a long one. */
function rows(parameters: Fields): readonly string[] {
  const out: string[] = [];
  let lines: string[] = [];
  const endList = (): void => {
    if (lines.length > 0) out.push(valueList(lines));
    lines = [];
  };
  for (const [name, value] of Object.entries(parameters)) {
    const line = valueLine(name, value);
    if (line !== undefined) {
      lines.push(line);
      continue;
    }
    endList();
    out.push(`${literal(name)}:`, valueBlock(value));
  }
  endList();
  return out;
}

function valueBlock(value: unknown): string {
  return typeof value === "string"
    ? textBlock(value, PLAIN, "whole")
    : textBlock(JSON.stringify(value, undefined, 2), "json", "whole");
}
