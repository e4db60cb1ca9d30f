/**
 * Sessions that an extension opens for background work (`Chain.openSession`), invisible to the user. They pass through
 * the extensions behind it, which do not modify them: additions to a user's session do not apply there.
 */
import { objectOr } from "../rpc/json";

/** In `_meta` of `session/new`: the id of the extension that opened the session. */
export const SIDE_SESSION = "symposium.dev/sideSession";

/** `params` are those of a session setup request. */
export function isSideSession(params: unknown): boolean {
  return typeof objectOr(objectOr(params)._meta)[SIDE_SESSION] === "string";
}
