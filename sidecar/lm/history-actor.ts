/**
 * The actor that takes VS Code's requests to the sessions that they belong to. It owns the records of all conversations, and the session actors;
 * which session a request is for is decided in `classify.ts` and `history.ts`, purely.
 *
 * Invariants: a request is answered once, whatever happens to its session; what is remembered of an answer is what was really sent of it; a
 * record is changed by the words of its own session's turn of now, and by no others.
 */
import { assertNever } from "../../src/protocol/wire";
import { ELIZA, type AgentConfig } from "../../src/protocol/agents";
import { LM_DEFAULTS, type AgentDefinition, type ChatMessage, type ChatRequest, type LmSettings, type PermissionQuestion, type RequestId } from "../../src/protocol/lm";
import { Actor } from "../rpc/actor";
import type { JsonObject } from "../rpc/json";
import { Asides } from "./aside";
import { classify } from "./classify";
import { admit, match, type Verdict } from "./history";
import { agentKey, identityOf } from "./identity";
import { Lives, type Live } from "./live";
import { read, type Reading } from "./reading";
import type { ResponseStream } from "./response-stream";
import { SessionActor, type SessionWord, type SessionWorld } from "./session-actor";
import { emitted, ended, waits, type Session } from "./session-record";
import type { Prompt, Recipient, Result } from "./session-state-model";
import { SideRequestDesk, sidePrompt } from "./side-request";

/** What is kept for the next process, opaque here and there. */
export interface Keeper {
  load(): Promise<readonly unknown[]>;
  save(id: string, session: unknown): void;
  forget(ids: readonly string[]): void;
}

export interface HistoryWorld extends Omit<SessionWorld, "tell" | "policy"> {
  readonly policy: (agentId: string | undefined) => "ask" | "allow";
  /** The folder of requests that name none. */
  readonly cwd: string;
  readonly keeper: Keeper;
  /** What an agent of the settings said it can do. */
  readonly learned: (agentId: string, images: boolean) => void;
  /** Never used before. */
  readonly freshId: () => string;
}

type Message =
  | { readonly kind: "ask"; readonly requestId: RequestId; readonly request: ChatRequest; readonly stream: ResponseStream }
  | { readonly kind: "cancel"; readonly requestId: RequestId }
  | { readonly kind: "settings"; readonly settings: LmSettings }
  | { readonly kind: "word"; readonly id: string; readonly actor: SessionActor; readonly word: SessionWord }
  | { readonly kind: "question"; readonly questionId: string; readonly settle: (question: PermissionQuestion | undefined) => void }
  | { readonly kind: "decide"; readonly questionId: string; readonly callId: string | undefined; readonly settle: (isTaken: boolean) => void }
  | { readonly kind: "idle"; readonly id: string }
  | { readonly kind: "kept"; readonly sessions: readonly unknown[] };
