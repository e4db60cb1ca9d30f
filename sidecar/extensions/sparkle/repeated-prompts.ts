/** Removes Sparkle's blocks where an agent repeats a prompt: in replayed messages, titles and session lists. Pure. */
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { titleWithout, unmarked } from "./marks";
import { UPDATE_KINDS } from "../../acp/methods";

/**
 * Cleans the `update` of a `session/update`. Returns the same object if it has no block, undefined if nothing else
 * remains.
 */
export function updateWithoutBlocks(update: JsonObject): JsonObject | undefined {
  switch (update.sessionUpdate) {
    case UPDATE_KINDS.user_message_chunk: {
      const words = withoutBlock(update.content);
      return words.length === 0 ? undefined : words[0] === update.content ? update : { ...update, content: words[0] };
    }
    case UPDATE_KINDS.user_message: {
      // v2: the whole message
      const content = arrayOr(update.content),
        words = content.flatMap(withoutBlock);
      return isSame(words, content) ? update : { ...update, content: words };
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
    words = unmarked(text);
  return words === text ? [content] : words === "" ? [] : [{ ...objectOr(content), text: words }];
}

/** Removes blocks from the title, and the title if nothing remains. */
function titledWithoutBlocks(titled: JsonObject): JsonObject {
  const { title, ...rest } = titled;
  if (typeof title !== "string") return titled;
  const words = titleWithout(title);
  return words === title ? titled : words === "" ? rest : { ...titled, title: words };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
