/** The catalogue of texts (`l10n/bundle.l10n.json`). */
import { deepEqual, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { CATALOGUE, catalogue, messagesIn, pluralsIn } from "./l10n.mjs";

suite("catalogue of texts", () => {
  test("contains the texts of all programs (else run `node scripts/l10n.mjs`)", () => {
    deepEqual(JSON.parse(readFileSync(CATALOGUE, "utf8")), catalogue());
  });

  test("numbers the placeholders of templates and joins the parts of long texts", () => {
    deepEqual(messagesIn("a.ts", 'l10n.t("Stop."); l10n.t`${a} of ${b}.`; l10n.t("{0} is " + "long.", name);'), [
      "Stop.",
      "{0} of {1}.",
      "{0} is long.",
    ]);
  });

  test("finds a singular with its plural", () => {
    deepEqual(pluralsIn("a.ts", 'n === 1 ? l10n.t("1 row") : l10n.t`${n} rows`; n === 1 ? l10n.t("One") : other();'), [
      ["1 row", "{0} rows"],
    ]);
  });

  test("rejects a computed message", () => {
    throws(() => messagesIn("a.ts", "l10n.t(text)"), /a\.ts: the message of l10n\.t is computed: text/);
  });
});
