/**
 * IDE operations through the host: requests of an agent, or of an extension in its chain, to the editor
 * (`src/protocol/ide/ide.ts`).
 */
import { readIdeRequest } from "../../../src/protocol/ide/ide-read";
import { RpcCode, RpcError } from "../../rpc/message";
import type { AskHost } from "./editor-files";

/**
 * Answers `_symposium.dev/ide_operation`. Rejects with an `RpcError`. The host's error messages are already written for
 * a model.
 */
export function editorOperations(ask: AskHost): (params: unknown, signal: AbortSignal) => Promise<unknown> {
  return async (params, signal) => {
    const read = readIdeRequest(params);
    if ("wrong" in read) throw new RpcError(RpcCode.invalidParams, read.wrong);
    return ask("editor/ideOperation", read.request, signal);
  };
}
