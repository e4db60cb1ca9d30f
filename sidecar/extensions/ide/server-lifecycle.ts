/**
 * Lifecycle of a language server. The server starts with the first operation that needs it and stops after a period
 * without use. A failed server is restarted, up to a limit. Pure.
 *
 *   down ── needed ──▶ up ── fell, unused ──▶ down          any ── closed ──▶ closed
 *    └─ needed after too many failures: refused
 */
export type Life =
  /** `falls`: times of unexpected exits and failed starts. */
  | { readonly kind: "down" | "up"; readonly falls: readonly number[]; readonly why?: string }
  | { readonly kind: "closed" };

export type LifeEvent =
  /** An operation needs the server. */
  | { readonly kind: "needed" }
  /** The server exited unexpectedly or could not be started. `why`: a sentence, such as “it exited with …”. */
  | { readonly kind: "fell"; readonly why: string }
  /** No operation used the server for `UNUSED_MS`. */
  | { readonly kind: "unused" }
  | { readonly kind: "closed" };

export type LifeEffect = { readonly kind: "start" | "stop" } | { readonly kind: "refuse"; readonly why: string };

export const NEW_LIFE: Life = { kind: "down", falls: [] };
export const MAX_FALLS = 3;
/** Milliseconds after which a failure no longer counts. */
export const FAILURE_WINDOW_MS = 10 * 60_000;
/** Exceeds any operation. Many servers use hundreds of megabytes, and reloading a project takes up to minutes. */
export const UNUSED_MS = 30 * 60_000;

/** `now`: milliseconds. */
export function step(life: Life, event: LifeEvent, now: number): readonly [Life, LifeEffect | undefined] {
  if (life.kind === "closed")
    return [life, event.kind === "needed" ? { kind: "refuse", why: "the session has ended." } : undefined];
  const falls = life.falls.filter(at => now - at < FAILURE_WINDOW_MS);
  switch (event.kind) {
    case "needed":
      if (life.kind === "up") return [life, undefined];
      if (falls.length >= MAX_FALLS)
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
