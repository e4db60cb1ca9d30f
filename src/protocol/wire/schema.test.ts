import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import * as v from "valibot";
import {
  compact,
  filled,
  fitting,
  ifValid,
  json,
  known,
  list,
  matching,
  parsed,
  record,
  text,
  validated,
  whole,
} from "./schema";

const SECRET = "sk-live-1234567890";

function why(schema: v.GenericSchema, value: unknown): string {
  const validation = validated(schema, value);
  return validation.ok ? "" : validation.why;
}

suite("wire schema", () => {
  test("names the position and the expected value", () => {
    const schema = v.object({ tabs: list(v.object({ id: filled(3), at: whole(-1) }), 2) });
    const rows: readonly (readonly [unknown, string])[] = [
      [1, "message: wrong type, expected Object"],
      [{ tabs: {} }, "message.tabs: expected a list of at most 2"],
      [
        {
          tabs: [
            { id: "a", at: 0 },
            { id: 5, at: 0 },
          ],
        },
        "message.tabs[1].id: wrong type, expected string",
      ],
      [{ tabs: [{ id: "abcd", at: 0 }] }, "message.tabs[0].id: expected <=3"],
      [{ tabs: [{ id: "abc", at: -2 }] }, "message.tabs[0].at: expected >=-1"],
    ];
    for (const [value, expected] of rows) equal(why(schema, value), expected);
  });

  test("includes no content of the message in the error", () => {
    const rows: readonly (readonly [v.GenericSchema, unknown])[] = [
      [v.picklist(["a", "b"]), SECRET],
      [v.literal(true), SECRET],
      [v.boolean(), SECRET],
      [text(5), SECRET],
      [matching(100, /^\d+$/), SECRET],
      [whole(0), SECRET],
      [json(5), { key: SECRET }],
      [v.variant("type", [v.object({ type: v.literal("a") })]), { type: SECRET }],
      [v.union([v.number(), v.boolean()]), SECRET],
      [record(text(100), v.boolean(), 5), { [SECRET]: SECRET }],
      [record(text(5), v.string(), 5), { [SECRET]: "" }],
    ];
    for (const [schema, value] of rows) {
      match(why(schema, value), /^message/);
      doesNotMatch(why(schema, value), /1234/);
    }
  });

  test("measures lists and texts before it checks their content", () => {
    let checked = 0;
    const item = v.custom<unknown>(() => ++checked > 0);
    for (const schema of [list(item, 2), fitting(item, 2)]) equal(validated(schema, [1, 2, 3]).ok, false);
    equal(validated(record(text(9), item, 1), { a: 1, b: 2 }).ok, false);
    equal(checked, 0);
    const slow = v.pipe(
      text(3),
      v.check(() => ++checked > 0),
    );
    equal(validated(slow, "abcd").ok, false);
    equal(checked, 0);
  });

  test("drops only the mismatching items of a fitting list", () =>
    deepEqual(
      validated(fitting(v.object({ id: filled(3) }), 5), [{ id: "a", more: 1 }, { id: "" }, null, { id: "b" }]),
      {
        ok: true,
        message: [{ id: "a" }, { id: "b" }],
      },
    ));

  test("names a missing member", () => equal(why(v.object({ id: filled(3) }), {}), "message.id: missing"));

  test("drops unknown items and names the position of an invalid one", () => {
    const numbers = known(v.number(), value => typeof value !== "boolean");
    deepEqual(parsed(numbers, [1, true, 2]), [1, 2]);
    equal(why(numbers, [true, "1"]), "message[1]: wrong type, expected number");
  });

  test("drops mismatching and absent members of a compact object", () => {
    const schema = compact({ id: filled(3), size: ifValid(whole(0)), name: v.exactOptional(v.string()) });
    deepEqual(parsed(schema, { id: "a", size: -1, more: 1 }), { id: "a" });
    deepEqual(parsed(schema, { id: "a", size: 2, name: "" }), { id: "a", size: 2, name: "" });
    equal(parsed(schema, { id: "" }), undefined);
  });
});
