/**
 * IDE operations through the host: what an agent, or an extension in its chain, asks of the editor
 * (`src/protocol/ide.ts`).
 */
import { readIdeRequest } from "../../src/protocol/ide-read";
import { RpcCode, RpcError } from "../rpc/message";
import type { AskHost } from "./editor-files";

/** Answers `IDE_OPERATION`. Rejects with an `RpcError`; the host's sentences are for a model already. */
export function editorOperations(ask: AskHost): (params: unknown, signal: AbortSignal) => Promise<unknown> {
  return async (params, signal) => {
    const read = readIdeRequest(params);
    if ("wrong" in read) throw new RpcError(RpcCode.invalidParams, read.wrong);
    return ask("editor/ideOperation", read.request, signal);
  };
}
