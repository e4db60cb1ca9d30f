/** File operations through the host, with errors in the form that agents expect. */
import { ErrorCode, errorMessage } from "../../../src/protocol/wire/errors";
import type { SidecarToHost } from "../../../src/protocol/sidecar";
import type { CancelSignal } from "../../../src/protocol/wire/cancel-signal";
import type { Calls, ParamsOf, ResultOf } from "../../../src/protocol/wire/wire";
import { RpcCode, RpcError } from "../../rpc/message";
import type { EditorFiles } from "./agent-files";

export type AskHost = <M extends keyof Calls<SidecarToHost>>(
  method: M,
  params: ParamsOf<SidecarToHost, M>,
  signal?: CancelSignal,
) => Promise<ResultOf<SidecarToHost, M>>;

export function editorFiles(ask: AskHost): EditorFiles {
  return {
    readTextFile: async path =>
      (
        await ask("editor/readTextFile", { path }).catch((error: unknown) => {
          throw forAgent(error, path);
        })
      ).text,
    writeTextFile: async (path, text) => {
      const { unsaved } = await ask("editor/writeTextFile", { path, text }).catch((error: unknown) => {
        throw forAgent(error, path);
      });
      return unsaved === undefined ? undefined : Buffer.from(unsaved, "base64");
    },
  };
}

/** Some agents detect a missing file by the message text, and then create the file. */
function forAgent(error: unknown, path: string): RpcError {
  if (error instanceof RpcError && error.code === ErrorCode.noFile)
    return new RpcError(RpcCode.notFound, `Resource not found: ${path} (ENOENT: no such file)`, { uri: path });
  return new RpcError(RpcCode.internalError, errorMessage(error));
}
