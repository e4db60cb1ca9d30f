/**
 * Adds the end of the terminal output to tool calls. A saved page, and a session that replaces a lost one, have entries
 * but no terminals. Pure.
 */
import type { Entry, TerminalView, ToolCall } from "../../src/protocol/chat/chat";

/** Characters per terminal. */
const MAX_CHARACTERS = 4_000;

export function withTerminals(entries: readonly Entry[], terminals: readonly TerminalView[] = []): readonly Entry[] {
  if (terminals.length === 0) return entries;
  const views = new Map(terminals.map(view => [view.terminalId, view]));
  return entries.map(entry => (entry.kind === "tool" ? withOutput(entry, views) : entry));
}

/** Cached until the terminal output changes, because sizes of entries are cached by identity. */
const made = new WeakMap<ToolCall, { readonly of: readonly (TerminalView | undefined)[]; readonly entry: ToolCall }>();

function withOutput(tool: ToolCall, views: ReadonlyMap<string, TerminalView>): ToolCall {
  const of = tool.content.flatMap(content => (content.kind === "terminal" ? [views.get(content.terminalId)] : []));
  if (of.every(view => view === undefined)) return tool;
  const known = made.get(tool);
  if (known && known.of.every((view, i) => view === of[i])) return known.entry;
  const entry: ToolCall = {
    ...tool,
    content: tool.content.map(content => {
      const view = content.kind === "terminal" ? views.get(content.terminalId) : undefined;
      return content.kind === "terminal" && view ? { ...content, output: view.output.slice(-MAX_CHARACTERS) } : content;
    }),
  };
  made.set(tool, { of, entry });
  return entry;
}
