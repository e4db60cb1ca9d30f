/**
 * Loads the translation of the texts, a data block of the document, before any other module is evaluated: constants
 * contain texts.
 */
import * as l10n from "@vscode/l10n";

const texts = document.querySelector("#texts")?.textContent;
if (texts) l10n.config({ contents: texts });
