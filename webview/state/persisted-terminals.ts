/**
 * Tool calls with the end of what their terminals printed: a page that is saved, and a session that follows one that is
 * gone, have the entries and no terminals. Pure.
 */
import type { Entry, TerminalView, ToolCall } from "../../src/protocol/chat";

/** Of each terminal. */
const KEPT = 4_000;

export function withTerminals(entries: readonly Entry[], terminals: readonly TerminalView[] = []): readonly Entry[] {
  if (terminals.length === 0) return entries;
  const views = new Map(terminals.map(view => [view.terminalId, view]));
  return entries.map(entry => (entry.kind === "tool" ? withOutput(entry, views) : entry));
}

/** Made once as long as its terminals print nothing: entries are measured by what they are. */
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
      return content.kind === "terminal" && view ? { ...content, output: view.output.slice(-KEPT) } : content;
    }),
  };
  made.set(tool, { of, entry });
  return entry;
}
