/**
 * Copies the end of terminal output into tool calls, because a saved page and a replacement session have entries but no
 * terminals. Pure.
 */
import type { Entry, TerminalView, ToolCall } from "../../src/protocol/chat/chat";

/** Maximum number of characters per terminal. */
const MAX_CHARACTERS = 4_000;

export function withTerminals(entries: readonly Entry[], terminals: readonly TerminalView[] = []): readonly Entry[] {
  if (terminals.length === 0) return entries;
  const views = new Map(terminals.map(view => [view.terminalId, view]));
  return entries.map(entry => (entry.kind === "tool" ? withOutput(entry, views) : entry));
}

/** Cached until the terminal output changes, because sizes of entries are cached by identity. */
const cache = new WeakMap<
  ToolCall,
  { readonly terminals: readonly (TerminalView | undefined)[]; readonly entry: ToolCall }
>();

function withOutput(tool: ToolCall, views: ReadonlyMap<string, TerminalView>): ToolCall {
  const terminals = tool.content.flatMap(content =>
    content.kind === "terminal" ? [views.get(content.terminalId)] : [],
  );
  if (terminals.every(view => view === undefined)) return tool;
  const cached = cache.get(tool);
  if (cached && cached.terminals.every((view, i) => view === terminals[i])) return cached.entry;
  const entry: ToolCall = {
    ...tool,
    content: tool.content.map(content => {
      const view = content.kind === "terminal" ? views.get(content.terminalId) : undefined;
      return content.kind === "terminal" && view ? { ...content, output: view.output.slice(-MAX_CHARACTERS) } : content;
    }),
  };
  cache.set(tool, { terminals, entry });
  return entry;
}
