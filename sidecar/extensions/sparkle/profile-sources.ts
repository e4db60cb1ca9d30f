/**
 * Reads the sources that a model requests for a profile: only files in the session's folders, which the agent may read
 * anyway. The user must provide other files and network resources, because fetching them here would bypass the agent's
 * permission requests.
 */
import { open, stat } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { resolveInWorkspace } from "../../permissions/workspace-boundary";
import { objectOr, stringOr, type JsonObject } from "../../rpc/json";

/** Maximum size of one source (characters of a text, bytes of a file), and maximum number of sources. */
export const MAX_CHARACTERS = 64_000,
  MAX_SOURCES = 20;

/** `content` on success. `error`: a sentence that suggests an alternative. */
export type Fetched = { readonly type: string; readonly value: string } & (
  | { readonly content: string }
  | { readonly error: string }
);

/** `folders`: the session's, absolute. Never rejects. */
export async function readSource(source: unknown, folders: readonly string[]): Promise<Fetched> {
  const type = stringOr(objectOr(source).type, "").trim().toLowerCase(),
    value = stringOr(objectOr(source).value, "");
  const shown = { type, value: value.slice(0, 200) };
  switch (type) {
    case "text":
    case "content":
      return { ...shown, content: value.slice(0, MAX_CHARACTERS) };
    case "file":
    case "path":
      return { ...shown, ...(await readFileOf(value, folders)) };
    default:
      return {
        ...shown,
        error:
          "Sparkle reads nothing from the network. Use a tool of your own that the user permits, or ask the user to paste the text. Then pass it as “content”.",
      };
  }
}

async function readFileOf(
  value: string,
  folders: readonly string[],
): Promise<{ readonly content: string } | { readonly error: string }> {
  const [cwd] = folders;
  const elsewhere = {
    error:
      "Sparkle reads only files in the folders of this session. Read the file with your own tool, which may ask the user, and pass the text as “content”.",
  };
  if (cwd === undefined || value === "") return elsewhere;
  try {
    const { real, isInside } = await resolveInWorkspace(path.resolve(cwd, value), folders);
    if (!isInside) return elsewhere;
    if (!(await stat(real)).isFile()) return { error: "This is not a file." };
    const handle = await open(real, "r");
    try {
      const buffer = Buffer.alloc(MAX_CHARACTERS),
        { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      return {
        content: new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytesRead), { stream: true }),
      }; // drops an incomplete last character
    } finally {
      await handle.close();
    }
  } catch (error) {
    return {
      error: error instanceof TypeError ? "This is not a text file." : `It cannot be read: ${errorMessage(error)}.`,
    };
  }
}

export function isRead(fetched: Fetched): fetched is Extract<Fetched, { readonly content: string }> {
  return "content" in fetched;
}

/** For a tool result. */
export function asJson(fetched: Fetched): JsonObject {
  return { ...fetched };
}
