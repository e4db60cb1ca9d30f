/** Removes Sparkle's blocks where an agent repeats a prompt: in replayed messages, titles and session lists. Pure. */
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { titleWithout, unmarked } from "./marks";

/** `update` of `session/update`, as it is where it holds no block; undefined: it held nothing else. */
export function updateWithoutBlocks(update: JsonObject): JsonObject | undefined {
  switch (update.sessionUpdate) {
    case "user_message_chunk": {
      const words = withoutBlock(update.content);
      return words.length === 0 ? undefined : words[0] === update.content ? update : { ...update, content: words[0] };
    }
    case "user_message": {
      // v2: the whole message
      const content = arrayOr(update.content),
        words = content.flatMap(withoutBlock);
      return isSame(words, content) ? update : { ...update, content: words };
    }
    case "session_info_update":
      return titledWithoutBlocks(update);
    default:
      return update;
  }
}

/** The result of `session/list`, as it is where no title holds a block. Agents name sessions by the first prompt. */
export function listWithoutBlocks(result: unknown): unknown {
  const { sessions } = objectOr(result);
  if (!Array.isArray(sessions)) return result;
  const titled = sessions.map((session: unknown) => (isObject(session) ? titledWithoutBlocks(session) : session));
  return isSame(titled, sessions) ? result : { ...objectOr(result), sessions: titled };
}

/** A content block as the user wrote it; none where all of it is ours. */
function withoutBlock(content: unknown): readonly unknown[] {
  const text = stringOr(objectOr(content).text, ""),
    words = unmarked(text);
  return words === text ? [content] : words === "" ? [] : [{ ...objectOr(content), text: words }];
}

/** With a title of the user's words alone, or none. */
function titledWithoutBlocks(titled: JsonObject): JsonObject {
  const { title, ...rest } = titled;
  if (typeof title !== "string") return titled;
  const words = titleWithout(title);
  return words === title ? titled : words === "" ? rest : { ...titled, title: words };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
