import { equal } from "node:assert/strict";
import { errorMessage } from "./errors";

suite("message of an error", () => {
  test("is that of an error, or the text of anything else that was thrown", () => {
    equal(errorMessage(new TypeError("refused")), "refused");
    equal(errorMessage("refused"), "refused");
    equal(errorMessage(undefined), "undefined");
  });
});
