/**
 * The kit's client for an agent under test: its `initialize` params and its responses to the agent's requests. Runs no
 * command, grants no permission, and stores files in memory only.
 */
import { arrayOr, objectOr, stringOr, type JsonObject } from "../rpc/json";
import type { RequestMessage } from "./conversation";
import type { Driver, Reply } from "./driver";
import type { Version } from "./schema";
import { CLIENT_METHODS } from "../acp/methods";

const IMPLEMENTATION = { name: "symposium-conform", title: "Symposium conformance kit", version: "1.0.0" };

/** `initialize` params. `full`: whether to declare every capability of the version or none. */
export function initializeParams(protocolVersion: number, version: Version, full: boolean): JsonObject {
  if (version === 2) {
    const capabilities = full ? { elicitation: { form: {}, url: {} } } : {};
    return { protocolVersion, info: IMPLEMENTATION, capabilities };
  }
  const clientCapabilities = full
    ? {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {}, url: {} },
        session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      }
    : {};
  return { protocolVersion, clientInfo: IMPLEMENTATION, clientCapabilities };
}

const METHOD_NOT_FOUND = -32601,
  NOT_FOUND = -32002;

const CANCELLED: NonNullable<Reply> = { result: { outcome: { outcome: "cancelled" } } };

/** Responds to the agent's requests in one conversation. */
export class ScriptedClient {
  readonly #files = new Map<string, string>();
  /** Ids of permission requests that stay open until their turn is cancelled. */
  readonly #open: unknown[] = [];
  #terminals = 0;
  #permissions: "answer" | "hold" | "cancel" = "answer";

  constructor(private readonly full: boolean) {}

  /** Leaves permission requests open until `cancelHeld`. */
  hold(): void {
    this.#permissions = "hold";
  }

  /** Cancels open and later permission requests of a cancelled turn. */
  cancelHeld(driver: Driver): void {
    this.#permissions = "cancel";
    for (const id of this.#open.splice(0)) driver.reply(id, CANCELLED);
  }

  answer(): void {
    this.#permissions = "answer";
  }

  respond({ id, method, params }: RequestMessage): Reply {
    const fields = objectOr(params);
    if (method === CLIENT_METHODS.session_request_permission) return this.#permission(id, fields);
    if (!this.full) return { error: { code: METHOD_NOT_FOUND, message: `The client does not support ${method}.` } };
    switch (method) {
      case CLIENT_METHODS.fs_read_text_file:
        return this.#read(fields);
      case CLIENT_METHODS.fs_write_text_file:
        this.#files.set(stringOr(fields.path, ""), stringOr(fields.content, ""));
        return { result: {} };
      case CLIENT_METHODS.terminal_create:
        return { result: { terminalId: `conform-terminal-${++this.#terminals}` } };
      case CLIENT_METHODS.terminal_output:
        return { result: { output: "", truncated: false, exitStatus: { exitCode: 0 } } };
      case CLIENT_METHODS.terminal_wait_for_exit:
        return { result: { exitCode: 0 } };
      case CLIENT_METHODS.terminal_kill:
      case CLIENT_METHODS.terminal_release:
        return { result: {} };
      case CLIENT_METHODS.elicitation_create:
        return { result: { action: "decline" } };
      default:
        return { error: { code: METHOD_NOT_FOUND, message: `The client has no method ${method}.` } };
    }
  }

  #read({ path }: JsonObject): Reply {
    const content = this.#files.get(stringOr(path, ""));
    return content === undefined
      ? { error: { code: NOT_FOUND, message: "The file does not exist." } }
      : { result: { content } };
  }

  /** Selects the reject option if offered, otherwise cancels. */
  #permission(id: unknown, { options }: JsonObject): Reply {
    if (this.#permissions === "hold") {
      this.#open.push(id);
      return undefined;
    }
    const reject = arrayOr(options)
      .map(objectOr)
      .find(({ kind }) => kind === "reject_once");
    if (this.#permissions === "cancel" || !reject) return CANCELLED;
    return { result: { outcome: { outcome: "selected", optionId: reject.optionId } } };
  }
}
