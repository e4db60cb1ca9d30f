/**
 * Sessions that an extension opens for background work (`Chain.openSession`), invisible to the user. The extensions
 * behind it forward such sessions without their additions to user sessions.
 */
import { objectOr } from "../rpc/json";

/** Key in `_meta` of `session/new`: the id of the extension that opened the session. */
export const SIDE_SESSION = "symposium.dev/sideSession";

/** `params`: the params of a session setup request. */
export function isSideSession(params: unknown): boolean {
  return typeof objectOr(objectOr(params)._meta)[SIDE_SESSION] === "string";
}
