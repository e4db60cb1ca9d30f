import assert from "node:assert/strict";
import test from "node:test";
import { commonest, count } from "../src/count.mjs";

test("an empty text has nothing", () => assert.deepEqual(count(""), { lines: 0, words: 0, characters: 0 }));
test("a last line counts without its newline", () => assert.equal(count("one\ntwo").lines, 2));
test("characters are what a reader sees as one", () => assert.equal(count("naïve 🙂").characters, 7));
test("the commonest words come first", () => assert.deepEqual(commonest("the cat and the hat", 2), [["the", 2], ["and", 1]]));
