/**
 * The line of a tool call: what it does, its state and its result in a few words. Pure.
 *
 * Invariant: all text is untrusted and is drawn as text only. Hidden characters are visible.
 */
import * as l10n from "@vscode/l10n";
import type { PermissionAnswered, ToolCall, ToolStatus } from "../../../src/protocol/chat/chat";
import type { Diff } from "../../../src/protocol/chat/diff-places";
import { isFilled, objectOr, parseJson } from "../../../src/protocol/wire/json";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { countsOf } from "./diff-lines";
import type { LinePart, ShownTerminal, ToolLine } from "./card";
import { fileAddress } from "./tool-content";
import { shellCommand } from "./command-text";
import { duration } from "../text/format-numbers";

/** `cwd`: absolute folder of the session, which is omitted from paths. */
export interface LineContext {
  readonly cwd: string;
  readonly terminals: readonly ShownTerminal[];
  /** The answer to the permission request of this call. */
  readonly verdict?: PermissionAnswered;
}

export function toolLine(tool: ToolCall, context: LineContext): ToolLine {
  const result = resultOf(tool, context);
  return {
    state: stateOf(tool.status),
    parts: editParts(tool, context.cwd) ??
      commandParts(tool, context) ??
      pathParts(tool, context.cwd) ?? [text(withoutFolder(tool.title, context.cwd))],
    ...result,
    time: tool.ms === undefined ? "" : duration(tool.ms),
  };
}

export function stateOf(status: ToolStatus): ToolLine["state"] {
  return status === "pending" || status === "in_progress" ? "running" : status === "completed" ? "ended" : "failed";
}

const text = (words: string): LinePart => ({ kind: "text", text: visibleLine(words) || l10n.t("Tool call") });

/** `Edited src/a.ts +2 −1`, for a call with the diff of one file. */
function editParts({ toolKind, status, content, locations }: ToolCall, cwd: string): readonly LinePart[] | undefined {
  const diffs = content.filter((each): each is Diff => each.kind === "diff"),
    path = diffs[0]?.path;
  if (path === undefined || status === "failed" || diffs.some(each => each.path !== path)) return undefined;
  if (toolKind !== "edit") return undefined;
  const isNew = diffs.every(({ oldText }) => oldText === undefined),
    counts = diffs.map(countsOf),
    added = counts.reduce((sum, each) => sum + each.added, 0),
    removed = counts.reduce((sum, each) => sum + each.removed, 0),
    line = locations.find(location => location.path === path)?.line ?? diffs[0]?.line;
  return [
    { kind: "text", text: editWord(stateOf(status) === "running", isNew) },
    fileLink({ path, ...(line === undefined ? {} : { line }) }, cwd),
    ...(added === 0 ? [] : [{ kind: "added", text: `+${added}` } as const]),
    ...(removed === 0 ? [] : [{ kind: "removed", text: `−${removed}` } as const]),
  ];
}

function editWord(isRunning: boolean, isNew: boolean): string {
  if (isNew) return isRunning ? l10n.t("Creating") : l10n.t("Created");
  return isRunning ? l10n.t("Editing") : l10n.t("Edited");
}

/**
 * `Read src/a.ts`, for a call whose title is only the path of its file. OpenCode omits the first slash outside of a
 * repository.
 */
function pathParts({ toolKind, status, title, locations }: ToolCall, cwd: string): readonly LinePart[] | undefined {
  const [file, ...others] = locations;
  if (file === undefined || others.some(({ path }) => path !== file.path)) return undefined;
  const { path } = file,
    isPath = [path, path.replace(/^[\\/]/, ""), relative(path, cwd)].includes(title);
  if (!isPath || status === "failed") return undefined;
  const isRunning = stateOf(status) === "running",
    link = fileLink(file, cwd);
  if (toolKind === "read") return [{ kind: "text", text: isRunning ? l10n.t("Reading") : l10n.t("Read") }, link];
  return toolKind === "edit" ? [{ kind: "text", text: editWord(isRunning, false) }, link] : [link];
}

function fileLink(location: ToolCall["locations"][number], cwd: string): LinePart {
  return { kind: "link", text: visibleLine(relative(location.path, cwd)), href: fileAddress(location) };
}

/** `$ npm test`, for a call that runs a command. */
function commandParts({ toolKind, input }: ToolCall, { terminals }: LineContext): readonly LinePart[] | undefined {
  const command =
    (toolKind === "execute" ? shellCommand(objectOr(parseJson(input ?? ""))) : undefined) ??
    (terminals.length === 1 ? terminals[0]?.terminal.command : undefined);
  return command === undefined ? undefined : [{ kind: "code", text: `$ ${visibleLine(command)}` }];
}

function resultOf(tool: ToolCall, context: LineContext): Pick<ToolLine, "result" | "tone"> {
  const { result, tone } = statusResult(tool, context),
    { verdict } = context;
  // An allowance without a question is always shown.
  if (verdict?.kind !== "selected" || !verdict.optionKind.startsWith("allow")) return { result, tone };
  if (verdict.by === "bypass")
    return { result: [l10n.t("allowed without asking"), result].filter(isFilled).join(" · "), tone };
  return { result: result === "" ? l10n.t("allowed") : result, tone };
}

function statusResult({ status }: ToolCall, { terminals, verdict }: LineContext): Pick<ToolLine, "result" | "tone"> {
  const exit = terminals.map(({ terminal }) => terminal.exit).find(each => each !== undefined && !isSuccess(each));
  if (exit !== undefined)
    return exit.signal === undefined
      ? { result: l10n.t`exit ${exit.code ?? "?"}`, tone: "error" }
      : { result: visibleLine(exit.signal), tone: "warning" };
  if (verdict?.kind === "cancelled") return { result: l10n.t("not answered"), tone: "plain" };
  if (verdict?.optionKind.startsWith("reject") === true) return { result: l10n.t("rejected"), tone: "plain" };
  if (status === "cancelled") return { result: l10n.t("cancelled"), tone: "plain" };
  return status === "failed" ? { result: l10n.t("failed"), tone: "error" } : { result: "", tone: "plain" };
}

const isSuccess = ({ code, signal }: NonNullable<ShownTerminal["terminal"]["exit"]>): boolean =>
  signal === undefined && (code === undefined || code === 0);

/** Path relative to the folder, if the file is in it. */
export function relative(path: string, folder: string): string {
  return isBelow(path, folder) ? path.slice(folder.length).replace(/^[\\/]+/, "") || path : path;
}

const isBelow = (path: string, folder: string): boolean =>
  folder.length > 1 && path.startsWith(folder) && /^$|^[\\/]/.test(path.slice(folder.replace(/[\\/]+$/, "").length));

/** The title without the folder's path before the paths in it. */
function withoutFolder(title: string, folder: string): string {
  if (folder.length <= 1) return title;
  const base = folder.replace(/[\\/]+$/, "");
  return title.replaceAll(`${base}/`, "").replaceAll(`${base}\\`, "");
}
