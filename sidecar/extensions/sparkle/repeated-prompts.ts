/** Removes Sparkle's blocks where an agent repeats a prompt: in replayed messages, titles and session lists. Pure. */
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { titleWithout, unmarked } from "./marks";
import { UPDATE_KINDS } from "../../acp/methods";

/**
 * Cleans the `update` of a `session/update`. Returns the same object for an update without blocks, and undefined for an
 * update with only blocks.
 */
export function updateWithoutBlocks(update: JsonObject): JsonObject | undefined {
  switch (update.sessionUpdate) {
    case UPDATE_KINDS.user_message_chunk: {
      const remaining = withoutBlock(update.content);
      return remaining.length === 0
        ? undefined
        : remaining[0] === update.content
          ? update
          : { ...update, content: remaining[0] };
    }
    case UPDATE_KINDS.user_message: {
      // v2: the whole message
      const content = arrayOr(update.content),
        remaining = content.flatMap(withoutBlock);
      return isSame(remaining, content) ? update : { ...update, content: remaining };
    }
    case UPDATE_KINDS.session_info_update:
      return titledWithoutBlocks(update);
    default:
      return update;
  }
}

/**
 * Cleans the result of `session/list`. Returns the same object if no title has a block. Agents title sessions by their
 * first prompt.
 */
export function listWithoutBlocks(result: unknown): unknown {
  const { sessions } = objectOr(result);
  if (!Array.isArray(sessions)) return result;
  const titled = sessions.map((session: unknown) => (isObject(session) ? titledWithoutBlocks(session) : session));
  return isSame(titled, sessions) ? result : { ...objectOr(result), sessions: titled };
}

/** The user's part of a content block. Empty if the whole block is Sparkle's. */
function withoutBlock(content: unknown): readonly unknown[] {
  const text = stringOr(objectOr(content).text, ""),
    remaining = unmarked(text);
  return remaining === text ? [content] : remaining === "" ? [] : [{ ...objectOr(content), text: remaining }];
}

/** Removes blocks from the title, and the title if nothing remains. */
function titledWithoutBlocks(titled: JsonObject): JsonObject {
  const { title, ...rest } = titled;
  if (typeof title !== "string") return titled;
  const remaining = titleWithout(title);
  return remaining === title ? titled : remaining === "" ? rest : { ...titled, title: remaining };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
