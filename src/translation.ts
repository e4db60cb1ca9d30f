/**
 * Loads VS Code's translation of the texts (`l10n/`) before any other module is evaluated. `extension.ts` imports this
 * module first, because constants contain texts.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

/** Texts in a display language of VS Code, keyed by their English text. */
export interface Translation {
  /** BCP 47. */
  readonly language: string;
  readonly texts: Readonly<Record<string, string>>;
}

const { bundle, uri } = vscode.l10n;
if (bundle !== undefined) l10n.config({ contents: bundle });

/** Translation for the pages; empty in English. */
export function pageTranslation(): { readonly translation?: Translation } {
  return bundle === undefined ? {} : { translation: { language: vscode.env.language, texts: bundle } };
}

/** Environment of the sidecar (`sidecar/translation.ts`); empty in English. */
export function sidecarTranslation(): { readonly SYMPOSIUM_L10N?: string } {
  return uri === undefined ? {} : { SYMPOSIUM_L10N: uri.fsPath };
}
