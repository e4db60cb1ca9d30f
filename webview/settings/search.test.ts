import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { RecommendationRow, SettingsView } from "../../src/protocol/settings/settings-view";
import { agent, anyView, extension, recommendation, view } from "../testing/settings-views";
import { hasSearch, rowCount, searched, searchWords } from "./search";

const section = (...ids: readonly string[]) => ({
  recommendations: { rows: ids.map(id => recommendation(id)), hidden: 0, problems: [], dismissed: 0 },
});
const rows = ({ agents, extensions, recommendations }: SettingsView): readonly RecommendationRow[] => [
  ...agents,
  ...extensions,
  ...(recommendations?.rows ?? []),
];
const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter(word => word !== "");

suite("settings page: search", () => {
  test("is available from eight agents, extensions and recommendations on", () => {
    const [few, many] = [view(section("q", "r")), view(section("q", "r", "s"))];
    deepEqual([few, many].map(rowCount), [7, 8]);
    deepEqual([few, many].map(hasSearch), [false, true]);
    deepEqual(
      [few, many].map(each => searchWords(each, " Two \t words ")),
      [[], ["Two", "words"]],
    );
    deepEqual(searchWords(many, " "), []);
  });

  test("finds rows by name, description, origin and id, if all words occur, regardless of case", () => {
    const all = view({
      agents: [
        agent("zed-claude-code", { name: "Claude", origin: "npm package", description: "Écrit du code" }),
        agent("mine", { name: "Mine (a+b)", origin: "/home/ada" }),
      ],
      extensions: [extension("cargo", { name: "Cargo", origin: "built-in" })],
      ...section("crate tokio"),
    });
    const cases: readonly (readonly [query: string, ids: readonly string[]])[] = [
      ["CLAUDE", ["zed-claude-code"]],
      ["zed-", ["zed-claude-code"]],
      ["e\u0301crit", ["zed-claude-code"]],
      ["npm claude", ["zed-claude-code"]],
      ["npm cargo", []],
      ["(A+B)", ["mine"]],
      ["a.b", []],
      ["built-in", ["cargo"]],
      ["tokio", ["crate tokio"]],
      ["c", ["zed-claude-code", "cargo", "crate tokio"]],
    ];
    for (const [query, ids] of cases)
      deepEqual(
        rows(searched(all, wordsOf(query))).map(({ id }) => id),
        ids,
        query,
      );
  });

  test("finds each row by its name, and keeps the order of the rows (property)", () => {
    fc.assert(
      fc.property(anyView, fc.string({ maxLength: 2 }), (any, more) => {
        const all = rows(any);
        for (const row of all) {
          const found = rows(searched(any, wordsOf(row.name)));
          ok(found.includes(row));
          deepEqual(
            found,
            all.filter(each => found.includes(each)),
          );
          const fewer = rows(searched(any, wordsOf(`${row.name} ${more}`)));
          ok(fewer.every(each => found.includes(each)));
        }
        equal(searched(any, []), any);
      }),
    );
  });
});
