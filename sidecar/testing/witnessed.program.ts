/**
 * Loaded before a test program that is to be killed (`node --import`): says on stderr what will have been its last
 * words, and connects to SYMPOSIUM_TEST_WITNESS, where there is one: that connection ends when the process does,
 * whoever started it.
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
