/** Client methods that an agent can call in a session (ACP schema v1, `fs/*` and `terminal/*`). */
import { needsWorkaround } from "../../agent-workarounds";
import type { AgentFiles, Ask } from "./agent-files";
import type { AgentTerminals } from "./agent-terminals";
import { CLIENT_METHODS } from "../../acp/methods";

export interface ClientDeps {
  readonly files: AgentFiles;
  readonly terminals: AgentTerminals;
  /** Name and version that the agent reports. */
  readonly agentName: string;
  readonly agentVersion: string;
}

/**
 * Returns a function that performs the method and uses `ask` for questions to the user; `undefined` for an unknown
 * method. The promise rejects with an `RpcError`.
 */
export function clientMethod(
  method: string,
  params: unknown,
  { files, terminals, agentName, agentVersion }: ClientDeps,
): ((ask: Ask) => Promise<unknown>) | undefined {
  switch (method) {
    case CLIENT_METHODS.fs_read_text_file:
      return ask => files.read(params, ask, needsWorkaround(agentName, agentVersion, "reads-before-creating"));
    case CLIENT_METHODS.fs_write_text_file:
      return ask => files.write(params, ask);
    case CLIENT_METHODS.terminal_create:
      return async () => terminals.create(params);
    case CLIENT_METHODS.terminal_output:
      return async () => terminals.output(params);
    case CLIENT_METHODS.terminal_wait_for_exit:
      return () => terminals.waitForExit(params);
    case CLIENT_METHODS.terminal_kill:
      return () => terminals.kill(params);
    case CLIENT_METHODS.terminal_release:
      return () => terminals.release(params);
    default:
      return undefined;
  }
}
