/** Parts of sentences. Pure. */
import * as l10n from "@vscode/l10n";

/** "1 line", "2 lines", in a text for a model. Texts for the user have a translated plural for each noun. */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** "a, b and c". */
export function enumerated(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : l10n.t`${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
