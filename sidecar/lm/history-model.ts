/** Messages, dependencies and loading states of the history actor. */
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type {
  AgentFacts,
  ChatRequest,
  Decision,
  LmSettings,
  PermissionQuestion,
  RequestId,
} from "../../src/protocol/lm/lm";
import type { MessageHistory } from "./history/message-history";
import type { ResponseStream } from "./response/response-sink";
import type { JsonObject } from "../rpc/json";
import type { Turn } from "./history/parse-history";
import type { SessionActor } from "./session/session-actor";
import type { ModelSessionDeps, SessionMessage } from "./session/session-message";

/** Turns to append to the first `from` saved turns. */
export interface SavedTurns {
  readonly from: number;
  readonly added: readonly Turn[];
}

/** Persists session records for the next process. Their content is opaque to the keeper. */
export interface RecordStore {
  load(): Promise<readonly unknown[]>;
  /** Replaces everything saved under this id except its first `turns.from` turns. */
  save(id: string, session: JsonObject, turns: SavedTurns): void;
  forget(ids: readonly string[]): void;
}

export interface HistoryDeps extends Omit<ModelSessionDeps, "notify" | "policy"> {
  readonly policy: (agentId: string | undefined) => "ask" | "allow";
  /** Extensions of new conversations; none if absent. */
  readonly extensions?: () => readonly ExtensionConfig[];
  /** Folder of requests without `cwd`. */
  readonly cwd: string;
  readonly keeper: RecordStore;
  /** Reports the image support or the context size of an agent in the settings. */
  readonly onFacts: (facts: AgentFacts) => void;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  /** Returns an id that was never used before. */
  readonly freshId: () => string;
}

export type Message =
  | {
      readonly kind: "ask";
      readonly requestId: RequestId;
      readonly request: ChatRequest;
      readonly history: MessageHistory;
      readonly stream: ResponseStream;
    }
  | { readonly kind: "cancel"; readonly requestId: RequestId }
  | { readonly kind: "settings"; readonly settings: LmSettings }
  | { readonly kind: "word"; readonly id: string; readonly actor: SessionActor; readonly message: SessionMessage }
  | {
      readonly kind: "question";
      readonly questionId: string;
      readonly settle: (question: PermissionQuestion | undefined) => void;
    }
  | (Decision & { readonly kind: "decide"; readonly settle: (isTaken: boolean) => void })
  | { readonly kind: "idle"; readonly id: string }
  | { readonly kind: "kept"; readonly sessions: readonly unknown[] };

/** State of the persisted records, which are loaded before the first request is handled. */
export type PersistedState =
  | { readonly kind: "unasked" }
  | { readonly kind: "awaited"; readonly waiting: readonly ChatRequestMessage[] }
  | { readonly kind: "there" };
export type ChatRequestMessage = Extract<Message, { readonly kind: "ask" }>;

/** An open permission request and its session. */
export interface SessionQuestion {
  readonly actor: SessionActor;
  readonly message: Extract<SessionMessage, { readonly kind: "asked" }>;
}
