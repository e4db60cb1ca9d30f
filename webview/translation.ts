/**
 * Loads the translated texts from a data block of the document. Must be imported first, because other modules translate
 * their constants during evaluation.
 */
import * as l10n from "@vscode/l10n";

const texts = document.querySelector("#texts")?.textContent;
if (texts) l10n.config({ contents: texts });
