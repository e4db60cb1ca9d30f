/** Client methods that an agent can call in a session (ACP schema v1, `fs/*` and `terminal/*`). */
import { needsWorkaround } from "../agent-workarounds";
import type { AgentFiles, Ask } from "./agent-files";
import type { AgentTerminals } from "./agent-terminals";

export interface ClientDeps {
  readonly files: AgentFiles;
  readonly terminals: AgentTerminals;
  /** The name that the agent reports. */
  readonly agentName: string;
}

/**
 * Returns a function that performs the method and uses `ask` for questions to the user; `undefined` for an unknown
 * method. The promise rejects with an `RpcError`.
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
