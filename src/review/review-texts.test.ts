import { deepEqual, equal } from "node:assert/strict";
import { modified, reviewOf } from "../testing/review-fixture";
import { changesTitle, fileTitle, promptLabel, rewindTitle } from "./review-texts";

const LONG = "Split the text of each file at its blanks, and test it with all kinds of white space";

suite("texts of the review", () => {
  test("leave room for the button of a tab and for the description of an item", () => {
    const review = reviewOf("r", [], { title: LONG });
    deepEqual(
      [changesTitle(review), rewindTitle(LONG, false), rewindTitle("Split it", true)],
      [
        "Changes by Claude: Split the text of each file at its blank…",
        "Restore Files: Split the text of each file at its blank…",
        "Restore Files and Conversation: Split it",
      ],
    );
    deepEqual(
      [promptLabel(LONG), promptLabel("Split\n it")],
      ["Split the text of each file at its blanks, and test it with …", "Split it"],
    );
  });

  test("name both files of a rename", () => {
    const file = modified("src/new.ts");
    equal(fileTitle(file, "new.ts"), "new.ts (changes by an agent)");
    equal(fileTitle({ ...file, from: "src/old.ts" }, "new.ts"), "old.ts → new.ts (changes by an agent)");
    equal(fileTitle({ ...file, from: "lib/new.ts" }, "new.ts"), "new.ts (changes by an agent)");
  });
});
