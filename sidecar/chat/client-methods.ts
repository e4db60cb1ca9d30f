/** What an agent may have done by its client in a session (ACP schema v1, `fs/*` and `terminal/*`). */
import { needsWorkaround } from "../agent-workarounds";
import type { AgentFiles, Ask } from "./agent-files";
import type { AgentTerminals } from "./agent-terminals";

export interface ClientDeps {
  readonly files: AgentFiles;
  readonly terminals: AgentTerminals;
  /** What the agent calls itself. */
  readonly agentName: string;
}

/**
 * Does it, once `ask` could put questions to a person; `undefined` where there is no such method. The promise rejects
 * with an `RpcError`.
 */
export function clientMethod(
  method: string,
  params: unknown,
  { files, terminals, agentName }: ClientDeps,
): ((ask: Ask) => Promise<unknown>) | undefined {
  switch (method) {
    case "fs/read_text_file":
      return ask => files.read(params, ask, needsWorkaround(agentName, "reads-before-creating"));
    case "fs/write_text_file":
      return ask => files.write(params, ask);
    case "terminal/create":
      return async () => terminals.create(params);
    case "terminal/output":
      return async () => terminals.output(params);
    case "terminal/wait_for_exit":
      return () => terminals.waitForExit(params);
    case "terminal/kill":
      return () => terminals.kill(params);
    case "terminal/release":
      return () => terminals.release(params);
    default:
      return undefined;
  }
}
