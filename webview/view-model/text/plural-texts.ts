/** Numbers with their nouns, each with a singular and a plural for translators. Pure. */
import * as l10n from "@vscode/l10n";

/** A prompt about all problems of a file. */
export const fixProblems = (n: number, file: string): string =>
  n === 1 ? l10n.t`Fix the problem in ${file}` : l10n.t`Fix the ${n} problems in ${file}`;
export const lineCount = (n: number): string => (n === 1 ? l10n.t("1 line") : l10n.t`${n} lines`);
export const rowCount = (n: number): string => (n === 1 ? l10n.t("1 row") : l10n.t`${n} rows`);
export const partCount = (n: number): string => (n === 1 ? l10n.t("1 part") : l10n.t`${n} parts`);
export const fileCount = (n: number): string => (n === 1 ? l10n.t("1 file") : l10n.t`${n} files`);
export const filesChanged = (n: number): string => (n === 1 ? l10n.t("1 file changed.") : l10n.t`${n} files changed.`);
export const promptCount = (n: number): string => (n === 1 ? l10n.t("1 prompt") : l10n.t`${n} prompts`);
