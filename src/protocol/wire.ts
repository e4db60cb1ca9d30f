/**
 * How a contract becomes typed calls. A contract is one interface per direction; its keys are
 * method names. Nothing here runs a transport: see `sidecar/rpc/peer.ts` and `src/sidecar/process.ts`.
 */

/** A method that answers. */
export interface Call<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}
/** A method that does not. */
export interface Note<Params> {
  readonly params: Params;
}

export type Calls<C> = { [M in keyof C as C[M] extends Call<unknown, unknown> ? M : never]: C[M] };
export type Notes<C> = { [M in keyof C as C[M] extends Call<unknown, unknown> ? never : M]: C[M] };
export type ParamsOf<C, M extends keyof C> = C[M] extends { readonly params: infer P } ? P : never;
export type ResultOf<C, M extends keyof C> = C[M] extends Call<unknown, infer R> ? R : never;

/** The part of an `AbortSignal` that handlers use; this folder has no DOM and no Node types. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
}

/** What one end must implement: every call it serves, every note it accepts. The compiler finds the gaps. */
export type Handlers<C> = {
  [M in keyof Calls<C>]: (params: ParamsOf<C, M>, signal: CancelSignal) => Promise<ResultOf<C, M>>;
} & { [M in keyof Notes<C>]: (params: ParamsOf<C, M>) => void };

/** Names a state, event or message that the type system says cannot exist. */
export function assertNever(value: never, what: string): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}`);
}
