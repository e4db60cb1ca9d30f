/**
 * Turns a contract into typed calls. A contract is one interface per direction; its keys are method names. The
 * transports are in `sidecar/rpc/peer.ts` and `src/sidecar/process.ts`.
 */
import type { CancelSignal } from "./cancel-signal";

/** A method with a response. */
export interface Call<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}
/** A method without a response. */
export interface Note<Params> {
  readonly params: Params;
}

export type Calls<C> = { [M in keyof C as C[M] extends Call<unknown, unknown> ? M : never]: C[M] };
export type Notes<C> = { [M in keyof C as C[M] extends Call<unknown, unknown> ? never : M]: C[M] };
export type ParamsOf<C, M extends keyof C> = C[M] extends { readonly params: infer P } ? P : never;
export type ResultOf<C, M extends keyof C> = C[M] extends Call<unknown, infer R> ? R : never;

/** Handlers that one side must implement, for every call and every note. The compiler reports missing ones. */
export type Handlers<C> = {
  [M in keyof Calls<C>]: (params: ParamsOf<C, M>, signal: CancelSignal) => Promise<ResultOf<C, M>>;
} & { [M in keyof Notes<C>]: (params: ParamsOf<C, M>) => void };

/** The methods of a contract whose names begin with this prefix and a slash. */
export type Part<C, P extends string> = Pick<C, Extract<keyof C, `${P}/${string}`>>;

/** A handler as a transport calls it. Messages follow the contract, because both programs come from the same build. */
export type Handler = (params: never, signal: CancelSignal) => unknown;

/** `undefined` if the table has no handler for this method. */
export function handlerOf(handlers: object, method: string): Handler | undefined {
  return Object.hasOwn(handlers, method) ? (handlers as Readonly<Record<string, Handler>>)[method] : undefined;
}

/** Throws for a state, event or message that the types exclude. */
export function assertNever(value: never, what: string): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}`);
}
