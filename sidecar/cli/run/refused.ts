/** Serves a client without a usable configuration. */
import { AGENT_METHODS } from "../../acp/methods";
import type { Channel } from "../../rpc/channel";
import { realClock } from "../../rpc/clock";
import { RpcCode, RpcError } from "../../rpc/message";
import { Peer } from "../../rpc/peer";
import { firstSignal, flushed } from "../runtime/stdio";

/** Answers every request with the error, and ends after `initialize`. Resolves with the exit code. */
export async function refused(message: string, client: Channel): Promise<number> {
  const ended = new Promise<number>(resolve => {
    const peer = new Peer(client, {
      request: request => {
        request.fail(new RpcError(RpcCode.internalError, message));
        if (request.method === AGENT_METHODS.initialize) void peer[Symbol.asyncDispose]();
      },
      notification: () => undefined,
      closed: () => resolve(1),
    });
  });
  const code = await Promise.race([ended, firstSignal()]);
  await flushed(realClock);
  return code;
}
