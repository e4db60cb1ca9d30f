/**
 * Preload (`node --import`) for a test program that will be killed. Writes fixed text to stderr and connects to
 * SYMPOSIUM_TEST_WITNESS, if set. The connection closes when the process exits, regardless of its parent.
 */
import { writeSync } from "node:fs";
import { connect } from "node:net";

const { SYMPOSIUM_TEST_NAME: name = "", SYMPOSIUM_TEST_WITNESS: witness } = process.env;

writeSync(2, `${name}: this is how it goes\nthese are the last words of ${name}\n`);
if (witness !== undefined)
  connect(witness)
    .on("error", () => undefined)
    .unref()
    .write(name);
