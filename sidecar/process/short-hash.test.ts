import { equal } from "node:assert/strict";
import { shortHash } from "./short-hash";

suite("short hash", () => {
  // Test vectors of the authors of FNV.
  for (const [text, hash] of [
    ["", "cbf29ce484222325"],
    ["a", "af63dc4c8601ec8c"],
    ["foobar", "85944171f73967e8"],
  ] as const)
    test(`hashes “${text}” as its authors do`, () => equal(shortHash(text), hash));
});
