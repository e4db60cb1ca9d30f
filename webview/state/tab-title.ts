/** Title of a tab. Pure. */
import type { Tab } from "./page-model";

/** The agent's title, otherwise the start of the first prompt; `undefined` if neither exists. */
export function titleOf({
  conversation: { title, omitted, entries },
  drafts: { onTheWay },
}: Pick<Tab, "conversation" | "drafts">): string | undefined {
  if (title !== undefined && title !== "") return title;
  const first = entries.find(({ kind }) => kind === "user"),
    text = omitted?.firstPrompt ?? (first?.kind === "user" ? first.text : (onTheWay[0]?.text ?? ""));
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line === "") return undefined;
  if (line.length <= MAX_TITLE) return line;
  const cut = line.slice(0, MAX_TITLE),
    atWord = cut.lastIndexOf(" ");
  return `${(atWord > MAX_TITLE / 2 ? cut.slice(0, atWord) : cut).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
const MAX_TITLE = 40;
