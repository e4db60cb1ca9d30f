import { deepEqual, equal, match, throws } from "node:assert/strict";
import fc from "fast-check";
import { isAllowed, LONGEST_GIVEN, serverName, ToolNames } from "./tool-names";

const long = "x".repeat(60);

suite("the names of bridged tools", () => {
  const table: readonly [original: string, given: string][] = [
    ["read_file", "read_file"],
    ["a-b_C9", "a-b_C9"],
    ["mcp.server/tool", "mcp_server_tool"],
    ["größe", "gr__e"],
    ["𝒳", "_"],
    ["", "tool"],
    [long, "x".repeat(LONGEST_GIVEN)],
  ];
  for (const [original, given] of table)
    test(`“${original}” is given as ${given}`, () => equal(new ToolNames().given(original), given));

  test("names that would be the same are numbered, within the limit, and stay", () => {
    const names = new ToolNames();
    deepEqual(
      ["a.b", "a b", "a_b", "a_b_2", "a.b"].map(name => names.given(name)),
      ["a_b", "a_b_2", "a_b_3", "a_b_2_2", "a_b"],
    );
    deepEqual(
      [`${long}1`, `${long}2`].map(name => names.given(name)),
      ["x".repeat(LONGEST_GIVEN), `${"x".repeat(LONGEST_GIVEN - 2)}_2`],
    );
  });

  test("with the longest prefix of an agent they are as long as model providers allow", () => {
    equal(`mcp__${serverName("abcd")}__${new ToolNames().given(long)}`.length, 64);
  });

  test("a server's name is made of what is allowed", () => {
    equal(serverName("00FF"), "vsc_00ff");
    throws(() => serverName("a-bc"));
    throws(() => serverName("abc"));
  });

  test("what is given is allowed, nobody else's, and leads back", () => {
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
            match(name, /^[A-Za-z0-9_-]{1,49}$/);
            equal(names.original(name), all[i]);
            equal(isAllowed(name), true);
          }
        },
      ),
    );
  });
});
