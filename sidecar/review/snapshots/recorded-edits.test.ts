import { deepEqual } from "node:assert/strict";
import { EXECUTABLE_MODE, FILE_MODE } from "./file-state";
import { parseEdits, serializeEdits } from "./recorded-edits";

suite("edits of a recorded tree", () => {
  test("are the same after they were written and read", () => {
    const [one, two, folder] = ["1", "2", "3"].map(digit => digit.repeat(40)),
      states = new Map([
        ["a b/ c\r", { mode: FILE_MODE, oid: one }],
        ["\xe9.sh", { mode: EXECUTABLE_MODE, oid: two }],
        ["deleted.txt", undefined],
      ] as const);
    deepEqual(parseEdits(serializeEdits(states as never, [folder ?? ""])), { states, oids: [one, two, folder] });
    deepEqual(parseEdits("torn"), { states: new Map(), oids: [] });
  });
});
