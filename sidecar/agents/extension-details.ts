/** What is told of a chain's extensions in a session: who is there, who is not and why, and what the witness saw of each. */
import type { ExtensionDetails } from "../../src/protocol/session-details";
import type { Trace } from "../conductor/component";
import { ChainWitness } from "./chain-witness";
import type { ExtensionChain } from "./extension-chain";

export interface SessionExtensions {
  /** From the client on. */
  of(sessionId: string): readonly ExtensionDetails[];
  /** `changed` is called when something of it is another. Disposed, what was seen in the session is forgotten. */
  hear(sessionId: string, changed: () => void): Disposable;
}

/** `trace`: for the conductor, so that something is seen; undefined where there is nobody to look at. `now`: milliseconds. */
export function witnessedExtensions(chain: ExtensionChain, now: () => number): { readonly extensions: SessionExtensions; readonly trace: Trace | undefined } {
  const { components } = chain, witness = components.length === 0 ? undefined : new ChainWitness(components.map(({ kind }) => kind === "internal" ? "kept" : "own"), now);
  return {
    trace: witness,
    extensions: {
      of: sessionId => {
        const seen = witness?.of(sessionId) ?? [];
        return chain.all.map(({ config: { id, name }, component, leftOut }) => {
          const at = component ? components.indexOf(component) : -1;
          return leftOut === undefined ? { id, name, ...seen[at] } : { id, name, leftOut };
        });
      },
      hear: (sessionId, changed) => witness?.hear(sessionId, changed) ?? { [Symbol.dispose]: () => undefined },
    },
  };
}

/** Both of them hear. */
export function bothTraces(first: Trace | undefined, second: Trace | undefined): Trace | undefined {
  if (!first || !second) return first ?? second;
  return { message: (...crossed) => { first.message(...crossed); second.message(...crossed); } };
}
