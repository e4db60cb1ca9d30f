import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { wrongValue, type Field } from "../../../src/protocol/chat/elicitation";
import { filled, hintOf, type Entered } from "./form-values";

const named = { name: "f", title: "F", required: false };
const OPTIONS = [
  { value: "a", title: "A" },
  { value: "b", title: "B" },
];
const first = (field: Field, entered: Entered | undefined) => {
  const result = filled([field], new Map(entered === undefined ? [] : [[field.name, entered]]));
  return result.kind === "right" ? result.choice.values : [...result.wrong.values()];
};

suite("form value", () => {
  test("has the type of its field", () => {
    deepEqual(first({ ...named, type: "text" }, " x "), { f: " x " });
    deepEqual(first({ ...named, type: "number" }, " -1.5e2 "), { f: -150 });
    deepEqual(first({ ...named, type: "integer" }, "007"), { f: 7 });
    deepEqual(first({ ...named, type: "boolean" }, false), { f: false });
    deepEqual(first({ ...named, type: "choice", options: OPTIONS }, "b"), { f: "b" });
    deepEqual(first({ ...named, type: "choices", options: OPTIONS }, ["b", "a"]), { f: ["b", "a"] });
  });

  test("omits empty fields and reports required ones", () => {
    for (const [type, empty] of [
      ["text", ""],
      ["number", "  "],
      ["integer", ""],
    ] as const) {
      deepEqual(first({ ...named, type }, empty), {});
      deepEqual(first({ ...named, type, required: true }, empty), ["F is required."]);
    }
    deepEqual(
      [
        first({ ...named, type: "choice", options: OPTIONS }, ""),
        first({ ...named, type: "choices", options: OPTIONS, minItems: 1 }, []),
      ],
      [{}, {}],
    );
    deepEqual(first({ ...named, type: "choices", options: OPTIONS, required: true }, []), ["F is required."]);
  });

  test("reports invalid fields one by one without an answer", () => {
    for (const text of ["1,5", "0x10", "Infinity", "1 2", "--1", "."])
      deepEqual(first({ ...named, type: "number" }, text), ["F must be a number."], text);
    deepEqual(first({ ...named, type: "integer" }, "1.5"), ["F must be a whole number."]);
    deepEqual(first({ ...named, type: "text", format: "email" }, "x"), ["F must be an e-mail address."]);
    const two = filled(
      [
        { ...named, type: "text" },
        { name: "g", title: "G", required: true, type: "text" },
      ],
      new Map([["f", "fine"]]),
    );
    deepEqual(two.kind === "wrong" && [...two.wrong], [["g", "G is required."]]);
  });

  test("supports field names of object members", () => {
    const result = filled(
      [{ name: "__proto__", title: "P", required: true, type: "text" }],
      new Map([["__proto__", "x"]]),
    );
    ok(result.kind === "right" && Object.hasOwn(result.choice.values, "__proto__"));
    equal(JSON.stringify(result.kind === "right" && result.choice.values), `{"__proto__":"x"}`);
  });

  test("is valid in every answer (property)", () => {
    const field: fc.Arbitrary<Field> = fc
      .record({
        required: fc.boolean(),
        title: fc.string(),
        rest: fc.oneof(
          fc.record({
            type: fc.constant("text" as const),
            minLength: fc.nat(5),
            format: fc.constantFrom("email", "uri", "date", "date-time", "other"),
          }),
          fc.record({ type: fc.constantFrom("number" as const, "integer" as const), minimum: fc.integer({ max: 10 }) }),
          fc.record({ type: fc.constant("boolean" as const) }),
          fc.record({ type: fc.constant("choice" as const), options: fc.constant(OPTIONS) }),
          fc.record({ type: fc.constant("choices" as const), options: fc.constant(OPTIONS), maxItems: fc.nat(2) }),
        ),
      })
      .map(({ required, title, rest }) => ({ name: "f", title, required, ...rest }));
    const entered = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.constantFrom("a", "b", "a@b", "2026-02-30", "2026-01-31"),
      fc.boolean(),
      fc.array(fc.constantFrom("a", "b", "c")),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(field, entered, (each, value) => {
        const result = filled([each], new Map(value === undefined ? [] : [["f", value]]));
        if (result.kind === "right") equal(wrongValue(each, result.choice.values["f"]), undefined);
        else ok((result.wrong.get("f") ?? "") !== "");
      }),
    );
  });

  test("has hints about its limits", () => {
    const text = (rest: object) => hintOf({ ...named, type: "text", ...rest });
    deepEqual(
      [
        text({}),
        text({ minLength: 3, maxLength: 20, pattern: "^a\u202e" }),
        text({ minLength: 0, maxLength: 5 }),
        text({ minLength: 4, maxLength: 4 }),
        text({ format: "date" }),
      ],
      [
        "",
        "3 to 20 characters · Pattern: ^a⟦U+202E⟧",
        "0 to 5 characters",
        "Exactly 4 characters",
        "A date, such as 2026-01-31",
      ],
    );
    deepEqual(
      [
        hintOf({ ...named, type: "integer", minimum: 0 }),
        hintOf({ ...named, type: "number", maximum: -1 }),
        hintOf({ ...named, type: "number" }),
      ],
      ["A whole number · At least 0", "A number · At most -1", "A number"],
    );
    deepEqual(
      [
        hintOf({ ...named, type: "choices", options: [], minItems: 1, maxItems: 2 }),
        hintOf({ ...named, type: "choice", options: [] }),
      ],
      ["1 to 2 of these", ""],
    );
  });
});
