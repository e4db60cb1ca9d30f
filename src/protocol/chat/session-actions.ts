/**
 * The user's actions in a session. Each entry defines the page's message `NAME` with its tab (`page-to-host.ts`) and
 * the wire method `chat/NAME` with its session (`sidecar.ts`). The session's state machine receives the event `NAME`.
 * An action for an unknown prompt, question or option has no effect.
 */
import * as v from "valibot";
import { QUEUE_LIMIT } from "./limits";
import { elicitationChoice } from "./question-schema";
import { count, filled, list, text, type Infer } from "../wire/schema";
import type { Call } from "../wire/wire";

const MIB = 1024 * 1024;
/** Texts and ids of agents, which choose their length. */
const long = text(4 * MIB);
const longId = filled(4 * MIB);
/** Ids that Symposium generates (UUIDs) or reads from the settings. */
export const id = filled(512);

const permissionChoice = v.object({ kind: v.literal("option"), optionId: long });
export type PermissionChoice = Infer<typeof permissionChoice>;

const controlValue = v.union([long, v.boolean()]);
/** For a select the value of a choice, for a switch its state. */
export type ControlValue = Infer<typeof controlValue>;

export const sessionActions = {
  /** Removes a prompt from the queue. */
  withdraw: v.object({ messageId: id }),
  /** Releases a held queue. */
  sendQueued: v.object({}),
  /** Removes the listed prompts only, because others may be in flight to the page. */
  clearQueue: v.object({ messageIds: list(id, QUEUE_LIMIT) }),
  /** Cancels the turn; a non-empty queue is held. */
  cancel: v.object({}),
  answerPermission: v.object({ permissionId: longId, choice: permissionChoice }),
  /** Invalid values leave the question open and add a notice with the reason. */
  answerElicitation: v.object({ elicitationId: longId, choice: elicitationChoice }),
  /** The result arrives as an event. */
  setControl: v.object({ controlId: longId, value: controlValue }),
  /** Ends the bypass of this session; the setting remains. */
  endBypass: v.object({}),
  /** Cancels the installation that the start of the agent waits for. */
  cancelInstall: v.object({}),
  /** Sets the user's title; an empty one restores that of the agent. */
  rename: v.object({ title: text(1_000) }),
  /** Requests entries before the page's window; also in a conversation that can only be read. */
  showEarlier: v.object({}),
  /** Extends the page's window by entries before it, towards this entry. The page repeats it until it has the entry. */
  showEntry: v.object({ entryId: longId }),
  /** Searches the whole conversation; answered by `found` with the same `requestNumber`. */
  find: v.object({ requestNumber: count, query: text(1_000) }),
};

type Actions = typeof sessionActions;
export type ActionName = keyof Actions;
type Params<K extends ActionName> = Infer<Actions[K]>;

/** An action as an event, without its session. */
export type SessionAction<K extends ActionName = ActionName> = { [N in K]: { readonly kind: N } & Params<N> }[K];

/** The page's messages. */
export type ActionMessage = { [N in ActionName]: { readonly type: N; readonly tabId: string } & Params<N> }[ActionName];

/** The sidecar's methods. */
export type ActionMethods = {
  [N in ActionName as `chat/${N}`]: Call<{ readonly sessionId: string } & Params<N>, Record<string, never>>;
};
