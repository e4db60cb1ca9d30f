/**
 * Steps of the state machines of chat sessions and of the model picker's sessions. A step is the next state with the
 * effects that the session's actor performs. Pure.
 */
export type Step<S, E> = readonly [next: S, effects: readonly E[]];

/** Applies further steps to the state of the first one, and appends their effects. */
export function chain<S, E>([first, effects]: Step<S, E>, ...steps: readonly ((state: S) => Step<S, E>)[]): Step<S, E> {
  let state = first;
  const all = [...effects];
  for (const next of steps) {
    const [after, moreEffects] = next(state);
    state = after;
    all.push(...moreEffects);
  }
  return [state, all];
}

export function enter<S extends { readonly phase: unknown }, E>(
  state: S,
  phase: S["phase"],
  effects: readonly E[] = [],
): Step<S, E> {
  return [{ ...state, phase }, effects];
}

export interface Unexpected {
  readonly kind: "unexpected";
  readonly what: string;
}

/** Reports an event that is impossible in this phase. The effect is for the log. */
export function unexpected<S extends { readonly phase: { readonly kind: string } }>(
  state: S,
  event: { readonly kind: string },
): Step<S, Unexpected> {
  return [state, [{ kind: "unexpected", what: `${event.kind} while ${state.phase.kind}` }]];
}
