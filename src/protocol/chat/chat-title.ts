/** Title of a conversation, for tabs, the list of sessions and exported files. Pure. */
import type { Conversation } from "./chat";

/** Maximum length of a title made of a prompt, in UTF-16 units. */
const MAX_LENGTH = 40;

/**
 * The user's title, otherwise the agent's, otherwise the start of the first prompt. Undefined if none exists.
 * `unsent`: text of a prompt that is not in the conversation yet.
 */
export function chatTitle(
  { chosenTitle, title, omitted, entries }: Pick<Conversation, "chosenTitle" | "title" | "omitted" | "entries">,
  unsent = "",
): string | undefined {
  const given = [chosenTitle, title].find(each => each !== undefined && each !== "");
  if (given !== undefined) return given;
  const first = entries.find(({ kind }) => kind === "user"),
    text = omitted?.firstPrompt ?? (first?.kind === "user" ? first.text : unsent);
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line === "") return undefined;
  if (line.length <= MAX_LENGTH) return line;
  const cut = line.slice(0, MAX_LENGTH),
    atWord = cut.lastIndexOf(" ");
  return `${(atWord > MAX_LENGTH / 2 ? cut.slice(0, atWord) : cut).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
