/**
 * Loads the translation of the texts before any other module is evaluated, because constants contain texts. The
 * extension passes the path of the file in `SYMPOSIUM_L10N`. The command line is not translated.
 */
import { readFileSync } from "node:fs";
import * as l10n from "@vscode/l10n";

const file = process.env["SYMPOSIUM_L10N"];
if (file !== undefined)
  try {
    l10n.config({ contents: readFileSync(file, "utf8") });
  } catch (error) {
    process.stderr.write(`The translation ${file} could not be read: ${String(error)}\n`);
  }
