/** Comments of the user on files under review, as parts of the next prompt. Pure. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import { lines, type Attachment } from "../protocol/chat/attachments";
import type { ReviewLines } from "../protocol/review/review";

export interface ReviewComment {
  /** Absolute path in the editor. */
  readonly file: string;
  readonly side: "reviewed" | "current";
  readonly lines: ReviewLines;
  /** The commented lines. */
  readonly code: string;
  readonly text: string;
}

/** Lines of the reviewed content are not in the file, so that their attachment has no path. */
export function attachmentOf({ file, side, lines, code }: ReviewComment): Attachment {
  const name = path.basename(file),
    numbers = { startLine: lines.start + 1, endLine: Math.max(lines.end, lines.start + 1) };
  return side === "current"
    ? { kind: "selection", name, path: file, ...numbers, text: code }
    : { kind: "selection", name: l10n.t`${name} (before the changes)`, ...numbers, text: code };
}

/** The line of the prompt. `displayPath`: path of the file for the user. */
export function promptLineOf({ lines: at, text }: ReviewComment, displayPath: string): string {
  const numbers = lines({ startLine: at.start + 1, endLine: Math.max(at.end, at.start + 1) });
  return `${displayPath}:${numbers}: ${text.trim()}`;
}
