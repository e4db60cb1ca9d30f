/**
 * Files that an agent reads and writes through the editor (ACP schema v1, `fs/*`), including unsaved changes.
 *
 * Invariants:
 * - Access outside the workspace requires the user's consent, which shows the real path.
 * - A read returns whole lines.
 * - A refused request is answered with an error.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { PermissionOption } from "../../../src/protocol/chat/chat";
import type { Recording } from "../../review/review-service";
import { resolveInWorkspace } from "../../permissions/workspace-boundary";
import { numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";

/** File operations of the host. Both reject with an `RpcError`; a missing file has the code `notFound`. */
export interface EditorFiles {
  readTextFile(path: string): Promise<string>;
  /** Resolves with the user's unsaved text that was replaced, in the file's encoding. */
  writeTextFile(path: string, text: string): Promise<Uint8Array | undefined>;
}

/** A question of Symposium about a request of the agent. */
export interface Consent {
  readonly toolCall: JsonObject;
  readonly title: string;
  readonly description: string;
  readonly options: readonly PermissionOption[];
}

/** Resolves with the chosen option, or `undefined` if none was chosen. */
export type Ask = (consent: Consent) => Promise<string | undefined>;

export class AgentFiles {
  /** Folders outside the workspace that the user has allowed for this agent and tab. */
  readonly #opened: string[] = [];

  constructor(
    private readonly roots: readonly string[],
    private readonly editor: EditorFiles,
    private readonly recording?: Pick<Recording, "writing">,
  ) {}

  /** `isMissingEmpty`: a missing file reads as empty, for an agent that creates only files that it can read. */
  async read(raw: unknown, ask: Ask, isMissingEmpty = false): Promise<{ readonly content: string }> {
    const params = objectOr(raw),
      file = pathIn(params);
    const text = await this.editor.readTextFile(await this.#allowed(file, "read", ask)).catch((error: unknown) => {
      if (isMissingEmpty && error instanceof RpcError && error.code === RpcCode.notFound) return "";
      throw error;
    });
    return { content: linesOf(text, numberOr(params.line, 1), numberOr(params.limit, undefined)) };
  }

  async write(raw: unknown, ask: Ask): Promise<JsonObject> {
    const params = objectOr(raw),
      file = pathIn(params);
    const { content } = params;
    if (typeof content !== "string") throw new RpcError(RpcCode.invalidParams, "content: a string is required");
    const real = await this.#allowed(file, "edit", ask),
      write = (): Promise<Uint8Array | undefined> => this.editor.writeTextFile(real, content);
    await (this.recording ? this.recording.writing(real, write) : write());
    return {};
  }

  /** Resolves with the real path. */
  async #allowed(file: string, kind: "read" | "edit", ask: Ask): Promise<string> {
    const { real, isInside } = await resolveInWorkspace(file, [...this.roots, ...this.#opened]).catch(
      (error: unknown) => {
        throw new RpcError(RpcCode.internalError, `${file} cannot be accessed: ${String(error)}`);
      },
    );
    if (isInside) return real;
    const chosen = await ask(consentFor(file, real, kind));
    if (chosen === FOLDER) this.#opened.push(path.dirname(real));
    if (chosen !== ONCE && chosen !== FOLDER)
      throw new RpcError(RpcCode.invalidRequest, `The user did not allow this: ${real} is outside of the workspace.`, {
        path: file,
      });
    return real;
  }
}

const ONCE = "once",
  FOLDER = "folder",
  NO = "no";

function consentFor(file: string, real: string, kind: "read" | "edit"): Consent {
  const does = kind === "read" ? "Read" : "Write",
    folder = path.dirname(real);
  return {
    toolCall: {
      title: `${does} ${file}`,
      kind,
      rawInput: { path: file, ...(real === path.resolve(file) ? {} : { "resolves to": real }) },
      locations: [{ path: real }],
    },
    title: `${does} ${real}`,
    description: l10n.t("The file is outside of the workspace."),
    options: [
      { optionId: ONCE, name: "Allow", kind: "allow_once" },
      { optionId: FOLDER, name: l10n.t`Allow everything in ${folder}, in this tab`, kind: "allow_always" },
      { optionId: NO, name: "Reject", kind: "reject_once" },
    ],
  };
}

function pathIn({ path: given }: JsonObject): string {
  const file = stringOr(given, "");
  if (!path.isAbsolute(file) || file.includes("\0"))
    throw new RpcError(RpcCode.invalidParams, "path: an absolute path is required");
  return file;
}

/** At most `limit` lines from `line` (1-based), with their original line ends. */
export function linesOf(text: string, line: number, limit: number | undefined): string {
  let start = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf("\n", start);
    if (end === -1) return "";
    start = end + 1;
  }
  if (limit === undefined) return text.slice(start);
  let end = start;
  for (let n = 0; n < limit; n++) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.slice(start);
    end = next + 1;
  }
  return text.slice(start, end);
}
