import { ToolFailure, type Tool } from "./tool";

/**
 * In-flight tool calls of a session. Some agents do not cancel their calls with the turn. The extension then calls
 * `stop`.
 */
export class OpenCalls {
  readonly #open = new Set<AbortController>();

  /** Wraps a tool so that `stop` also ends its calls. */
  watched(tool: Tool): Tool {
    return {
      ...tool,
      call: async (args, call) => {
        const stopped = new AbortController();
        this.#open.add(stopped);
        try {
          return await tool.call(args, {
            signal: AbortSignal.any([call.signal, stopped.signal]),
            progress: message => call.progress(message),
          });
        } catch (error) {
          throw stopped.signal.aborted && !call.signal.aborted ? stopped.signal.reason : error;
        } finally {
          this.#open.delete(stopped);
        }
      },
    };
  }

  stop(why: string): void {
    for (const each of this.#open) each.abort(new ToolFailure(why));
  }
}
