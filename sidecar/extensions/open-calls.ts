import { ToolFailure, type Tool } from "./tool";

/**
 * The calls of a session's tools that are under way. Some agents leave them alone when their turn is stopped: then
 * whoever has them ends them.
 */
export class OpenCalls {
  readonly #open = new Set<AbortController>();

  /** The tool, whose calls also end with `stop`. */
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
