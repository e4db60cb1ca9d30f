import { deepEqual } from "node:assert/strict";
import { ageOf } from "./age";

suite("age", () => {
  test("is shown in its largest whole unit", () =>
    deepEqual([-5, 0, 59_999, 60_000, 7_200_000, 86_400_000 * 3].map(ageOf), [
      "less than a minute",
      "less than a minute",
      "less than a minute",
      "1 minute",
      "2 hours",
      "3 days",
    ]));
});
