/**
 * Terminals of the agent in the session state machine. Their displayed output is bounded, and remains after their end.
 * Pure.
 */
import { TERMINAL_LIMIT, type TerminalView } from "../../src/protocol/chat/chat";
import { emitEvent, type SessionEvent, type State, type SessionStep } from "./session-model";

export type TerminalEvent = Extract<
  SessionEvent,
  { readonly kind: "terminalStarted" | "terminalPrinted" | "terminalEnded" }
>;

export function terminal(state: State, event: TerminalEvent): SessionStep {
  if (state.phase.kind === "closed") return [state, []];
  if (event.kind === "terminalStarted")
    return emitEvent(state, { type: "terminal", terminal: { ...event.terminal, output: "", isCut: false } });
  const known = state.conversation.terminals?.find(({ terminalId }) => terminalId === event.terminalId);
  if (!known) return [state, []];
  return event.kind === "terminalEnded"
    ? emitEvent(state, { type: "terminal", terminal: { ...known, exit: event.exit } })
    : printed(state, known, event.text, event.isCut);
}

/** Appends output until the limit is exceeded; then the first quarter is removed. */
function printed(state: State, known: TerminalView, text: string, isCut: boolean): SessionStep {
  const { terminalId, output: before } = known,
    output = isCut ? text : before + text;
  if (!isCut && output.length <= TERMINAL_LIMIT)
    return emitEvent(state, { type: "terminalOutput", terminalId, offset: before.length, text });
  return emitEvent(state, {
    type: "terminal",
    terminal: {
      ...known,
      output: end(output, output.length <= TERMINAL_LIMIT ? TERMINAL_LIMIT : (TERMINAL_LIMIT * 3) / 4),
      isCut: true,
    },
  });
}

/** Cuts between characters, not inside a surrogate pair. */
function end(output: string, length: number): string {
  const cut = output.slice(-length);
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut;
}
