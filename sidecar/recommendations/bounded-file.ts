/** Reads files of the project and of the user that may have any content. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import * as l10n from "@vscode/l10n";
import { isObject } from "../rpc/json";

export type FileContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  /** `why`: a sentence. */
  | { readonly kind: "unreadable"; readonly why: string };

/** Reads a regular file of at most `maxBytes`. Never rejects, and never waits for a pipe or a device. */
export async function readBounded(file: string, maxBytes: number): Promise<FileContent> {
  try {
    await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await handle.stat();
    if (!found.isFile()) return { kind: "unreadable", why: l10n.t("It is not a file.") };
    if (found.size > maxBytes)
      return { kind: "unreadable", why: l10n.t`It is larger than ${Math.round(maxBytes / 1024)} kilobytes.` };
    const buffer = Buffer.alloc(found.size),
      { bytesRead } = await handle.read(buffer, 0, found.size, 0);
    return { kind: "text", text: buffer.toString("utf8", 0, bytesRead) };
  } catch (error) {
    const code = isObject(error) ? error["code"] : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return { kind: "unreadable", why: l10n.t`It cannot be read (${String(code ?? error)}).` };
  }
}
