/**
 * Consent to start language servers outside of VS Code. A server can run the project's build scripts, macros and
 * plug-ins, as rust-analyzer and jdtls do.
 *
 * Invariants:
 * - A server's first start in a folder requires consent, once per session. Later starts in the session do not.
 * - Operations that need the same server share one permission request, until its operation is cancelled.
 */
import path from "node:path";
import type { Neighbour } from "../../proxies/proxy";
import { Consent, type Approve, type GatedAction } from "../consent";
import { quoted } from "../shell-words";
import { sessionClient, until } from "../session-client";
import type { SessionPlace } from "../session-tools";
import { ToolFailure, type ToolCall } from "../tool";
import type { ServerCommand } from "./languages";

export interface ServerStart {
  readonly command: ServerCommand;
  readonly folder: string;
}

/** Rejects with a sentence for the model if the server may not start. */
export type PermitStart = (start: ServerStart) => Promise<void>;

/** `denied`: rejects all operations that share the request. */
type Outcome = "allowed" | "withdrawn" | { readonly denied: ToolFailure };

export interface ServerConsentDeps {
  readonly client: Neighbour;
  readonly approve: Approve;
  /** ACP version of the client. */
  readonly version: () => 1 | 2;
}

/** The consents of all sessions of a chain. The owner reports the start and the end of each session. */
export class ServerConsents {
  readonly #consents = new WeakMap<SessionPlace, ServerConsent>();
  /** By session id, the newest last. */
  readonly #places = new Map<string, SessionPlace>();

  constructor(private readonly deps: ServerConsentDeps) {}

  opened(place: SessionPlace, sessionId: string): void {
    this.#places.delete(sessionId);
    this.#places.set(sessionId, place);
  }

  closed(sessionId: string): void {
    this.#places.delete(sessionId);
  }

  /** The consent of a session. */
  of(place: SessionPlace): ServerConsent {
    const { client, ...deps } = this.deps,
      consent =
        this.#consents.get(place) ??
        new ServerConsent(new Consent({ extension: "ide", client: sessionClient(client, place.sessionId), ...deps }));
    this.#consents.set(place, consent);
    return consent;
  }

  /**
   * The consent of the newest session with this working folder, for a request that names no session. Throws a
   * `ToolFailure` without such a session.
   */
  in([cwd]: readonly string[]): ServerConsent {
    const place = [...this.#places.values()].findLast(({ folders }) => folders[0] === cwd);
    if (!place)
      throw new ToolFailure(`No session in ${cwd ?? "this folder"} can ask its user to start a language server.`);
    return this.of(place);
  }
}

class ServerConsent {
  readonly #allowed = new Set<string>();
  readonly #pending = new Map<string, Promise<Outcome>>();

  constructor(private readonly consent: Consent) {}

  /** See `PermitStart`. */
  async permit(start: ServerStart, call: ToolCall): Promise<void> {
    const key = JSON.stringify([start.command.command, start.command.args, start.folder]);
    for (let pending = this.#pending.get(key); pending !== undefined; pending = this.#pending.get(key)) {
      const outcome = await until(pending, call.signal);
      if (typeof outcome === "object") throw outcome.denied;
    }
    if (this.#allowed.has(key)) return;
    const request = this.consent.carryOut(actOf(start), call, async () => undefined);
    const outcome = request.then(
      (): Outcome => "allowed",
      (error: unknown): Outcome => (error instanceof ToolFailure ? { denied: error } : "withdrawn"),
    );
    this.#pending.set(key, outcome);
    try {
      await request;
      this.#allowed.add(key);
    } finally {
      this.#pending.delete(key);
    }
  }
}

const MAY_RUN =
  "The language server reads the project in this folder. It may run the project's build scripts, macros and plug-ins.";

function actOf({ command: { command, args }, folder }: ServerStart): GatedAction {
  return {
    title: `Start the language server ${path.basename(command)}`,
    kind: "execute",
    content: [{ type: "content", content: { type: "text", text: MAY_RUN } }],
    rawInput: { command: [command, ...args].map(quoted).join(" "), cwd: folder },
    standing: { key: "server", name: "Always Allow Language Servers (This Session)" },
  };
}
