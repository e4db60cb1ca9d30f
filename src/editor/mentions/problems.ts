/** Formats the editor's diagnostics as text for agents, one line each. Pure. */
import { ATTACHED_TEXT_LIMIT, type Attachment } from "../../protocol/chat/attachments";

/** `line` and `column` count from 1. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** Errors first, then by position. A message replaces lines beyond the limit. */
export function problemsOf(
  problems: readonly Problem[],
  limit = ATTACHED_TEXT_LIMIT,
): Extract<Attachment, { kind: "problems" }> {
  const lines = [...problems]
    .sort(order)
    .map(
      ({ path, line, column, severity, message }) =>
        `${path}:${line}:${column} ${severity} ${message.replaceAll(/\s+/g, " ").trim()}`,
    );
  const whole = lines.join("\n");
  return { kind: "problems", count: problems.length, text: whole.length <= limit ? whole : cut(lines, limit) };
}

/** For example `3 errors, 1 warning`. */
export function summaryOf(problems: readonly Problem[]): string {
  const linesOf = (severity: Problem["severity"]): readonly string[] => {
    const { length } = problems.filter(each => each.severity === severity);
    return length === 0 ? [] : [`${length} ${severity}${length === 1 ? "" : "s"}`];
  };
  return [...linesOf("error"), ...linesOf("warning")].join(", ");
}

function order(a: Problem, b: Problem): number {
  if (a.severity !== b.severity) return a.severity === "error" ? -1 : 1;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column;
}

/** Keeps as many whole lines as fit with the message. */
function cut(lines: readonly string[], limit: number): string {
  const sentence = (remaining: number): string => `… and ${remaining} more, omitted here.`;
  let count = 0,
    remaining = limit - sentence(lines.length).length;
  for (const line of lines) {
    remaining -= line.length + 1;
    if (remaining < 0) break;
    count++;
  }
  return [...lines.slice(0, count), sentence(lines.length - count)].join("\n");
}
