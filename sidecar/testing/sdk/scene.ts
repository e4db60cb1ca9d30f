/** A client and an agent of the ACP SDK that exchange messages of every kind, and what each of them received. */
import type * as v1 from "@agentclientprotocol/sdk";
import { objectOr } from "../../rpc/json";

/** The recorded messages, by kind. */
export class Seen {
  readonly kinds: Record<string, unknown[]> = {};
  note(kind: string, ...what: unknown[]): void {
    (this.kinds[kind] ??= []).push(...what);
  }

  /** A handler that returns `answer`. */
  onEvent<T>(kind: string, answer: T): (context: { readonly params: unknown }) => T {
    return ({ params }) => {
      this.note(kind, params);
      return answer;
    };
  }

  /** Records how a request ended. */
  async ends(kind: string, request: Promise<unknown>): Promise<void> {
    this.note(kind, await request.catch(asError));
  }
}

/** Replaces the id of a cancelled request, which differs on each connection. */
function asError(error: unknown): unknown {
  const { code, message, data } = objectOr(error),
    { requestId } = objectOr(data);
  return { code, message, data: typeof requestId === "number" ? { ...objectOr(data), requestId: "a number" } : data };
}

interface Connection {
  readonly closed: Promise<void>;
}
/** Connects an agent and runs the steps of a client. */
export interface Scene {
  readonly agent: (seen: Seen, stream: v1.Stream) => Connection;
  readonly client: (seen: Seen, stream: v1.Stream) => Promise<void>;
}

/** Accepts any params. */
export const any = (params: unknown): unknown => params;
export const text = (text: string) => ({ type: "text" as const, text: text });
export const WEIRD = '„žluťoučký“ 🐎 \u2028 \\ " \u0000 {"id":7,"method":"no"}';
export const INFO = { name: "theirs", title: "Theirs", version: "1.2.3", _meta: { deep: [{ er: null }] } };
export const REFUSAL = { why: [1, { deep: true, none: null }], text: WEIRD };

/** Params of extension requests and notifications, which an agent of either version receives and sends back. */
export const EXTRAS = { n: 1.5, big: 9_007_199_254_740_991, text: WEIRD, list: [[], {}, null, false] };
export const ACP_SERVER = { type: "acp" as const, name: "ours", serverId: "srv-1" };
export const OPTIONS: v1.PermissionOption[] = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
