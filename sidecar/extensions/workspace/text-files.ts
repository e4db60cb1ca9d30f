/**
 * Reads and writes text files through the client if supported, else on disk. The client's text includes unsaved
 * changes, and its writes can be undone.
 *
 * Invariants: folders, special files, binary files and files over the size limit cause a `ToolFailure`. All paths come
 * from `Folders`.
 */
import { constants } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { objectOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { ToolFailure } from "../tool";
import { kindOf, type Inside } from "./folders";
import type { SessionClient } from "../session-client";
import { CLIENT_METHODS } from "../../acp/methods";

export interface TextFiles {
  /** `undefined` if the file does not exist. */
  read(file: Inside, signal: AbortSignal): Promise<string | undefined>;
  /** Creates missing parent folders. */
  write(file: Inside, text: string, signal: AbortSignal): Promise<void>;
}

const MAX_MEGABYTES = 10;

/** Checks the kind and the size of a file before it is accessed. */
export function textFiles(reader: Pick<TextFiles, "read">, writer: Pick<TextFiles, "write">): TextFiles {
  return {
    async read(file, signal) {
      const found = await kindOf(file);
      if (found === undefined) return undefined;
      requireRegularFile(file, found.kind);
      if (found.size > MAX_MEGABYTES * 1024 * 1024)
        throw new ToolFailure(
          `${file.shown} has ${Math.round(found.size / 1024 / 1024)} MB; the limit is ${MAX_MEGABYTES} MB. Use search_content to find what you need in it.`,
        );
      return reader.read(file, signal);
    },
    async write(file, text, signal) {
      requireRegularFile(file, (await kindOf(file))?.kind ?? "file");
      signal.throwIfAborted(); // the call may have been cancelled meanwhile
      await writer.write(file, text, signal);
    },
  };
}

function requireRegularFile({ shown }: Inside, kind: "file" | "folder" | "other"): void {
  if (kind !== "file")
    throw new ToolFailure(
      kind === "folder"
        ? `${shown} is a folder. Use search_files to see what is in it.`
        : `${shown} is not a regular file.`,
    );
}

export const nodeFiles: TextFiles = {
  async read({ real, shown }) {
    const bytes = await readFile(real).catch((error: unknown) => {
      throw new ToolFailure(`${shown} could not be read: ${String(error)}`);
    });
    if (bytes.includes(0)) throw notText(shown);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw notText(shown);
    }
  },

  async write({ real, shown }, text) {
    try {
      await mkdir(path.dirname(real), { recursive: true });
      // Does not follow a link created after the path was checked.
      await using file = await open(
        real,
        constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0),
      );
      await file.writeFile(text);
    } catch (error) {
      throw new ToolFailure(`${shown} could not be written: ${errorMessage(error)}`);
    }
  },
};

function notText(shown: string): ToolFailure {
  return new ToolFailure(`${shown} is not UTF-8 text and cannot be read or changed.`);
}

/** Uses the client's `fs/*` methods. */
export function clientFiles(client: SessionClient): TextFiles {
  return {
    async read({ real, shown }, signal) {
      const answer = await client
        .request(CLIENT_METHODS.fs_read_text_file, { path: real }, signal)
        .catch((error: unknown) => {
          if (error instanceof RpcError && error.code === RpcCode.notFound) return undefined;
          throw refused(`${shown} could not be read`, error);
        });
      if (answer === undefined) return undefined;
      const { content } = objectOr(answer);
      if (typeof content !== "string") throw new ToolFailure(`${shown} could not be read: the editor sent no text.`);
      return content;
    },
    async write({ real, shown }, text, signal) {
      await client
        .request(CLIENT_METHODS.fs_write_text_file, { path: real, content: text }, signal)
        .catch((error: unknown) => {
          throw refused(`${shown} could not be written`, error);
        });
    },
  };
}

function refused(what: string, error: unknown): unknown {
  return error instanceof RpcError ? new ToolFailure(`${what}: ${error.message}`) : error;
}
