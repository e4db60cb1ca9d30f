/** Texts of the review in VS Code. Pure. */
import * as l10n from "@vscode/l10n";
import type {
  ChangedFile,
  Review,
  ReviewFile,
  ReviewLimit,
  ReviewOperation,
  ReviewTurn,
  RewoundFile,
} from "../protocol/review/review";
import { readableLine, visibleLine } from "../protocol/text/visible-text";
import { assertNever } from "../protocol/wire/wire";
import { changeOf, type FileChange } from "./review-files";

export function labelOf({ agentName, title }: Review): string {
  const name = readableLine(agentName),
    line = readableLine(title);
  return line === "" ? name : `${name}: ${line}`;
}

/** A longer title of a tab hides the button that closes it. */
const LONG_TITLE = /^(.{40}).+$/u,
  /** A longer item of a list hides its description. */
  LONG_ITEM = /^(.{60}).+$/u;

export function changesTitle(review: Review, turn?: ReviewTurn): string {
  const agent = readableLine(review.agentName),
    title = readableLine(turn?.title ?? review.title).replace(LONG_TITLE, "$1…");
  return l10n.t`Changes by ${agent}: ${title}`;
}

/** Title of the preview of a rewind. `sessionTitle`: of its session, if it has one. */
export function rewindTitle(sessionTitle: string, alsoConversation: boolean): string {
  const title = readableLine(sessionTitle).replace(LONG_TITLE, "$1…");
  return alsoConversation ? l10n.t`Restore Files and Conversation: ${title}` : l10n.t`Restore Files: ${title}`;
}

/** A prompt as an item of a list, or as the title of one. */
export function promptLabel(prompt: string): string {
  return readableLine(prompt).replace(LONG_ITEM, "$1…");
}

/** Title of the comparison of one file. `name`: its present name. */
export function fileTitle({ from }: ChangedFile, name: string): string {
  const oldName = from === undefined ? name : (from.split("/").at(-1) ?? name),
    names = oldName === name ? name : `${oldName} → ${name}`;
  return l10n.t`${names} (changes by an agent)`;
}

/** Names of codicons. */
export const CHANGE_ICONS: Readonly<Record<FileChange, string>> = {
  created: "diff-added",
  deleted: "diff-removed",
  renamed: "diff-renamed",
  modified: "diff-modified",
};

function changeText(file: ChangedFile): string {
  const change = changeOf(file);
  switch (change) {
    case "created":
      return l10n.t("Created");
    case "deleted":
      return l10n.t("Deleted");
    case "renamed":
      return l10n.t`Renamed from ${visibleLine(file.from ?? "")}`;
    case "modified":
      return file.before?.mode === file.after?.mode ? l10n.t("Modified") : l10n.t("Modified, with another file mode");
    default:
      return assertNever(change, "change of a file");
  }
}

export function fileTooltip(file: ReviewFile): string {
  const { added, removed, shared } = file;
  return [
    `${changeText(file)}${added + removed === 0 ? "" : ` ${lineCounts(file)}`}`,
    ...(shared ? [l10n.t("It may contain changes of other sessions or programs.")] : []),
  ].join("\n");
}

function lineCounts({ added, removed }: { readonly added: number; readonly removed: number }): string {
  return `+${added} −${removed}`;
}

export function fileCount(count: number): string {
  return count === 1 ? l10n.t("1 file") : l10n.t`${count} files`;
}

/** Description of a turn in a list: the number of its files with unreviewed lines. */
export function turnDescription({ files }: Review, { turn }: ReviewTurn): string {
  return fileCount(files.filter(({ turns }) => turns.includes(turn)).length);
}

export function operationText({ kind, files }: Pick<ReviewOperation, "kind" | "files">): string {
  switch (kind) {
    case "accept":
      return files === 1 ? l10n.t("Kept changes in 1 file") : l10n.t`Kept changes in ${files} files`;
    case "undo":
      return files === 1 ? l10n.t("Undid changes in 1 file") : l10n.t`Undid changes in ${files} files`;
    case "rewind":
      return files === 1 ? l10n.t("Restored 1 file") : l10n.t`Restored ${files} files`;
    default:
      return assertNever(kind, "operation");
  }
}

/** The limits of a review, in lines. */
export function limitsText(limits: readonly ReviewLimit[]): string {
  if (limits.length === 0) return l10n.t("The review is complete.");
  return limits
    .flatMap(limit => [limitText(limit), ...("paths" in limit ? limit.paths.map(visibleLine) : [])])
    .join("\n");
}

function limitText(limit: ReviewLimit): string {
  switch (limit.kind) {
    case "leftOut":
      return limit.count === 1
        ? l10n.t("1 file is not part of the review. It is too large, or its name or type cannot be recorded.")
        : l10n.t`${limit.count} files are not part of the review. They are too large, or their names or types cannot be recorded.`;
    case "gone":
      return limit.count === 1
        ? l10n.t("1 file cannot be restored, because its repository does not contain its earlier content any more.")
        : l10n.t`${limit.count} files cannot be restored, because their repository does not contain their earlier contents any more.`;
    case "announcedOnly":
      return limit.why === "failed"
        ? l10n.t("Symposium could not record the files. The review has only changes that the agent announced.")
        : l10n.t("Without a current git, the review has only changes that the agent announced.");
    case "skipped":
      return limit.why === "diskFull"
        ? l10n.t`Changes in ${visibleLine(limit.root)} could not be recorded, because the disk is full.`
        : l10n.t`Changes in ${visibleLine(limit.root)} are not recorded.`;
    case "unstored":
      return l10n.t("Changes of the last turn could not be stored. Check the free space of the disk.");
    case "late":
      return l10n.t("The agent started before its folders were recorded. Its first changes may be missing.");
    default:
      return assertNever(limit, "limit");
  }
}

const MAX_LISTED = 12;

/** Lists the files that a rewind changes. `pathOf`: path relative to the workspace. */
export function rewindDetail(files: readonly RewoundFile[], pathOf: (file: RewoundFile) => string): string {
  const listed = files.slice(0, MAX_LISTED).map(file => `${visibleLine(pathOf(file))} (${rewoundText(file)})`),
    remaining = files.length - listed.length;
  return [...listed, ...(remaining > 0 ? [l10n.t`Number of further files: ${remaining}`] : [])].join("\n");
}

function rewoundText(file: RewoundFile): string {
  const change = changeOf(file),
    text =
      change === "created"
        ? l10n.t("will be created again")
        : change === "deleted"
          ? l10n.t("will be deleted")
          : l10n.t("will be restored");
  return file.hasOwnChanges ? l10n.t`${text}, your changes are kept` : text;
}
