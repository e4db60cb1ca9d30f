import type { ESLint } from "eslint";

export interface Fault {
  readonly why: string;
  readonly sentence: string;
}
export function avoidedIn(name: string): { readonly word: string; readonly instead: string } | undefined;
export function sentencesOf(text: string): readonly string[];
export function faultsIn(text: string): readonly Fault[];
export function passagesOf(markdown: string): readonly string[];
export function longSentences(passage: string, maxWords: number): readonly string[];
declare const plugin: ESLint.Plugin;
export default plugin;
