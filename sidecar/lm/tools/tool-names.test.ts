import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { freeServerName, isAllowed, isServerName, MAX_NAME_LENGTH, ToolNames } from "./tool-names";

const long = "x".repeat(60);

suite("ToolNames", () => {
  const table: readonly [original: string, given: string][] = [
    ["read_file", "read_file"],
    ["a-b_C9", "a-b_C9"],
    ["mcp.server/tool", "mcp_server_tool"],
    ["größe", "gr__e"],
    ["𝒳", "_"],
    ["", "tool"],
    [long, "x".repeat(MAX_NAME_LENGTH)],
  ];
  for (const [original, given] of table)
    test(`returns ${given} for “${original}”`, () => equal(new ToolNames().given(original), given));

  test("numbers equal names within the length limit and keeps them stable", () => {
    const names = new ToolNames();
    deepEqual(
      ["a.b", "a b", "a_b", "a_b_2", "a.b"].map(name => names.given(name)),
      ["a_b", "a_b_2", "a_b_3", "a_b_2_2", "a_b"],
    );
    deepEqual(
      [`${long}1`, `${long}2`].map(name => names.given(name)),
      ["x".repeat(MAX_NAME_LENGTH), `${"x".repeat(MAX_NAME_LENGTH - 2)}_2`],
    );
  });

  test("fits the limit of model providers with the longest prefix of an agent", () => {
    equal(`mcp__${freeServerName(name => !name.endsWith("99"))}__${new ToolNames().given(long)}`.length, 64);
  });

  test("selects the preferred server name, otherwise the first free one", () => {
    const free = (used: readonly string[], preferred?: string) =>
      freeServerName(name => used.includes(name), preferred);
    equal(free([]), "vsctools");
    equal(free(["vsctools", "vsctools3"]), "vsctools2");
    equal(free(["vsctools"], "vsctools7"), "vsctools7");
    equal(free(["vsctools7"], "vsctools7"), "vsctools");
    deepEqual(["vsctools", "vsctools12", "vsctools-2", "my-vsctools", "vsctoolsx"].map(isServerName), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("returns an allowed and unique name that maps back to its original", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 6 }),
            fc.constantFrom(long, `${long}a`, `${long}.`, "a b", "a.b", "a_b", "a_b_2"),
          ),
          { maxLength: 30 },
        ),
        all => {
          const names = new ToolNames(),
            given = all.map(name => names.given(name));
          equal(new Set(given).size, new Set(all).size);
          for (const [i, name] of given.entries()) {
            match(name, /^[A-Za-z0-9_-]{1,47}$/);
            equal(names.original(name), all[i]);
            equal(isAllowed(name), true);
          }
        },
      ),
    );
  });
});
