/**
 * IDE operations through the host: requests of an agent, or of an extension in its chain, to the editor
 * (`src/protocol/ide/ide.ts`).
 */
import { ideRequest } from "../../../src/protocol/ide/ide";
import { validated } from "../../../src/protocol/wire/schema";
import { RpcCode, RpcError } from "../../rpc/message";
import type { AskHost } from "./editor-files";

/**
 * Answers `_symposium.dev/ide_operation`. Rejects with an `RpcError`. The host's error messages are already written for
 * a model.
 */
export function editorOperations(ask: AskHost): (params: unknown, signal: AbortSignal) => Promise<unknown> {
  return async (params, signal) => {
    const read = validated(ideRequest, params);
    if (!read.ok) throw new RpcError(RpcCode.invalidParams, read.why);
    return ask("editor/ideOperation", read.message, signal);
  };
}
