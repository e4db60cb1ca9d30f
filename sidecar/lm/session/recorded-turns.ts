/** Records what the turns of a chat of the model picker change (`sidecar/review`). */
import { stringOr, objectOr } from "../../rpc/json";
import { UPDATE_KINDS } from "../../acp/methods";
import type { Recording } from "../../review/review-service";
import { titleLine } from "../../review/title-line";
import { WritingTools } from "../../review/writing-tools";
import { userTextIn } from "../history/extract-user-text";

/** ACP schema v1, `ToolCallStatus`. */
const OVER: ReadonlySet<unknown> = new Set(["completed", "failed"]);

export class RecordedModelTurns {
  readonly #tools: WritingTools;
  /** Kind and paths of the turn's calls. Updates name only what has changed. */
  readonly #calls = new Map<string, { readonly kind: string; readonly paths: readonly string[] }>();

  constructor(
    private readonly recording: Recording,
    cwd: string,
  ) {
    this.#tools = new WritingTools(cwd);
  }

  /** `text`: the user's message, which may have blocks of VS Code's chat. Resolves when the agent may begin. */
  begin(text: string): Promise<void> {
    const title = titleLine(userTextIn(text) ?? text);
    this.#tools.clear();
    this.#calls.clear();
    return this.recording.begin({ title }, title);
  }

  /** `update`: of `session/update`. `subagent`: session id of the sender. */
  onUpdate(update: unknown, subagent = ""): void {
    const { sessionUpdate, toolCallId, kind, status, locations, content } = objectOr(update);
    if (sessionUpdate !== UPDATE_KINDS.tool_call && sessionUpdate !== UPDATE_KINDS.tool_call_update) return;
    const id = `${subagent} ${stringOr(toolCallId, "")}`,
      known = this.#calls.get(id),
      named = [...pathsIn(locations), ...pathsIn(content)],
      call = { kind: stringOr(kind, known?.kind ?? ""), paths: named.length === 0 ? (known?.paths ?? []) : named };
    this.#calls.set(id, call);
    const change = this.#tools.watch({ id, ...call, isOver: OVER.has(status) });
    if (change === undefined) return;
    void this.recording.announced(change.paths);
    if (change.hasEnded) this.recording.toolEnded();
  }

  end(): void {
    void this.recording.end();
  }
}

/** The paths of a call's locations or diffs. */
function pathsIn(list: unknown): readonly string[] {
  return (Array.isArray(list) ? list : []).map(each => stringOr(objectOr(each).path, "")).filter(file => file !== "");
}
