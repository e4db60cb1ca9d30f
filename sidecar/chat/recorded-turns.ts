/**
 * Records what the turns of a session change (`sidecar/review`): tells the recording when a turn begins and ends, and
 * which tool calls can write.
 */
import { chatTitle } from "../../src/protocol/chat/chat-title";
import {
  isTerminal,
  type ChatEvent,
  type Conversation,
  type EntryEvent,
  type ToolCall,
} from "../../src/protocol/chat/chat";
import type { Recording } from "../review/review-service";
import { titleLine } from "../review/title-line";
import { WritingTools } from "../review/writing-tools";
import type { Prompt } from "./session-model";

export class RecordedTurns {
  readonly #tools: WritingTools;

  constructor(
    private readonly recording: Recording,
    cwd: string,
  ) {
    this.#tools = new WritingTools(cwd);
  }

  /** A prompt is sent. Resolves when the agent may begin. */
  begin({ messageId, text }: Prompt, conversation: Conversation): Promise<void> {
    const title = titleLine(text);
    this.#tools.clear();
    return this.recording.begin({ entryId: messageId, title }, titleLine(chatTitle(conversation) ?? title));
  }

  /** The session has emitted an event. `before`: the conversation before the step. */
  onEvent(event: ChatEvent, before: Conversation): void {
    if (event.type === "turn" && event.turn.state === "idle" && before.turn.state !== "idle") void this.recording.end();
    const call = callIn(event);
    if (call) this.#watch(call);
  }

  #watch({ id, toolKind, status, locations, content }: ToolCall): void {
    const change = this.#tools.watch({
      id,
      kind: toolKind,
      isOver: isTerminal(status),
      paths: [
        ...locations.map(location => location.path),
        ...content.flatMap(each => (each.kind === "diff" ? [each.path] : [])),
      ],
    });
    if (change === undefined) return;
    void this.recording.announced(change.paths);
    if (change.hasEnded) this.recording.toolEnded();
  }
}

/** The tool call that the event creates or replaces, also in a subagent. */
function callIn(event: ChatEvent | EntryEvent): ToolCall | undefined {
  if (event.type === "nested") return callIn(event.event);
  return event.type === "upsert" && event.entry.kind === "tool" ? event.entry : undefined;
}
