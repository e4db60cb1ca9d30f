/**
 * How long a language server runs: from the first operation that needs it until nobody has needed it for a while. When
 * it has ended it is started again, but not for ever. Pure.
 *
 *   down ── needed ──▶ up ── fell, unused ──▶ down          any ── closed ──▶ closed
 *    └─ needed, and it fell too often: refused
 */
export type Life =
  /** `falls`: when it ended without being asked to. */
  | { readonly kind: "down" | "up"; readonly falls: readonly number[]; readonly why?: string }
  | { readonly kind: "closed" };

export type LifeEvent =
  /** An operation wants it. */
  | { readonly kind: "needed" }
  /** It ended, or could not be started. `why` continues “it …”. */
  | { readonly kind: "fell"; readonly why: string }
  /** Nothing was asked of it for `UNUSED_MS`. */
  | { readonly kind: "unused" }
  | { readonly kind: "closed" };

export type LifeEffect = { readonly kind: "start" | "stop" } | { readonly kind: "refuse"; readonly why: string };

export const NEW_LIFE: Life = { kind: "down", falls: [] };
export const MOST_FALLS = 3;
/** A fall is forgotten after that long. */
export const FORGIVEN_MS = 10 * 60_000;
/** Many take hundreds of megabytes; loading a project again takes seconds to minutes. Longer than any operation. */
export const UNUSED_MS = 30 * 60_000;

/** `now`: milliseconds. */
export function step(life: Life, event: LifeEvent, now: number): readonly [Life, LifeEffect | undefined] {
  if (life.kind === "closed")
    return [life, event.kind === "needed" ? { kind: "refuse", why: "the session has ended." } : undefined];
  const falls = life.falls.filter(at => now - at < FORGIVEN_MS);
  switch (event.kind) {
    case "needed":
      if (life.kind === "up") return [life, undefined];
      if (falls.length >= MOST_FALLS)
        return [
          { ...life, falls },
          {
            kind: "refuse",
            why: `it failed ${falls.length} times in a row and is not started again for some minutes; the last time ${life.why ?? "it ended."}`,
          },
        ];
      return [{ kind: "up", falls }, { kind: "start" }];
    case "fell":
      return [life.kind === "up" ? { kind: "down", falls: [...falls, now], why: event.why } : life, undefined];
    case "unused":
      return life.kind === "up" ? [{ kind: "down", falls }, { kind: "stop" }] : [life, undefined];
    case "closed":
      return [{ kind: "closed" }, undefined];
  }
}
