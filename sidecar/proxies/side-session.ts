/**
 * Sessions that an extension opens for itself (`Chain.openSession`): a piece of work on the side, which the user never
 * sees. They pass the extensions behind it, and those leave them as they are: what is put into a user's session has no
 * place in them.
 */
import { objectOr } from "../rpc/json";

/** In `_meta` of `session/new`: the id of the extension whose session it is. */
export const SIDE_SESSION = "symposium.dev/sideSession";

/** `params` of a request that sets a session up. */
export function isSideSession(params: unknown): boolean {
  return typeof objectOr(objectOr(params)._meta)[SIDE_SESSION] === "string";
}
