/**
 * HTTP endpoint through which Symposium's entry in an agent's configuration reaches the servers of the agent's process
 * (`mcp/attached-server.ts`). One endpoint per agent process.
 */
import { knownSecrets } from "../../../src/protocol/redaction/redact";
import { AttachedServer } from "../../mcp/attached-server";
import { McpEndpoint } from "../../mcp/http/http-server";
import type { OnWarning } from "../../mcp/acp-link";
import { ATTACH } from "../../mcp/shim";
import type { Clock } from "../../rpc/clock";

export interface AttachPoint extends AsyncDisposable {
  readonly server: AttachedServer;
  /** For the agent's process. The token is hidden in logs. */
  readonly env: Readonly<Record<string, string>>;
}

/** `version`: Symposium's version. Rejects if no port can be opened. */
export async function openAttachPoint({
  clock,
  version,
  onWarning,
}: {
  readonly clock: Clock;
  readonly version: string;
  readonly onWarning: OnWarning;
}): Promise<AttachPoint> {
  const server = new AttachedServer(clock, version, onWarning),
    endpoint = new McpEndpoint({ clock, onWarning });
  const { url, token } = await endpoint.open(server),
    secret = knownSecrets.add([token]);
  return {
    server,
    env: { [ATTACH]: `${url}#${token}` },
    [Symbol.asyncDispose]: async () => {
      await endpoint[Symbol.asyncDispose]();
      secret[Symbol.dispose]();
    },
  };
}
