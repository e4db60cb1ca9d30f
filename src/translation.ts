/**
 * Loads VS Code's translation of the texts (`l10n/`) before any other module is evaluated. Extension.ts imports it
 * first, because constants contain texts.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

/** The texts of a display language of VS Code, by their English text. */
export interface Translation {
  /** BCP 47. */
  readonly language: string;
  readonly texts: Readonly<Record<string, string>>;
}

const { bundle, uri } = vscode.l10n;
if (bundle !== undefined) l10n.config({ contents: bundle });

/** For the pages. Empty in English. */
export function pageTranslation(): { readonly translation?: Translation } {
  return bundle === undefined ? {} : { translation: { language: vscode.env.language, texts: bundle } };
}

/** For the sidecar, see `sidecar/translation.ts`. Empty in English. */
export function sidecarTranslation(): { readonly SYMPOSIUM_L10N?: string } {
  return uri === undefined ? {} : { SYMPOSIUM_L10N: uri.fsPath };
}
