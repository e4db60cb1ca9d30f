import { deepEqual, equal, ok } from "node:assert/strict";
import type { SettingsView } from "../../src/protocol/settings/settings-view";
import { agent, extension, view } from "../testing/settings-views";
import { emptyModel } from "./model";
import type { Piece } from "./element-tree";
import { render } from "./render-page";

const all = (pieces: readonly Piece[]): readonly Piece[] => pieces.flatMap(each => [each, ...all(each.children ?? [])]);
const MANY = view({
  agents: ["ada", "bob", "cy", "dan", "eve"].map(id => agent(id)),
  extensions: ["x", "y", "z"].map(id => extension(id)),
  notes: [{ tone: "error", sentence: "settings.json has an error." }],
});

function drawn(query: string, shown: SettingsView = MANY) {
  const pieces = all(render({ ...emptyModel([], query), view: shown }));
  const having = (name: string, value: string): readonly Piece[] =>
    pieces.filter(({ attributes }) => attributes?.[name] === value);
  return {
    field: having("type", "search")[0],
    status: having("role", "status")[0]?.text,
    hasClear: pieces.some(({ action }) => action?.kind === "clearSearch"),
    sections: pieces.flatMap(({ tag, key }) => (tag === "section" ? [key] : [])),
    rows: pieces.flatMap(({ attributes }) => attributes?.["data-id"] ?? []),
    grips: pieces.filter(({ action }) => action?.kind === "grip").map(({ attributes }) => attributes),
  };
}

suite("settings page: rendering of the search", () => {
  test("shows a labelled box on a page with at least eight rows", () => {
    const { field, status, hasClear, sections } = drawn("");
    deepEqual(
      [field?.attributes?.["aria-label"], field?.value, status, hasClear],
      ["Search agents and extensions", "", "", false],
    );
    deepEqual(sections, ["notes", "agents", "extensions", "sending", "updates", "links"]);
    const few = drawn("ada", view());
    deepEqual([few.field, few.rows], [undefined, ["ada", "bob", "x", "y", "z"]]);
  });

  test("shows the notes and the sections with matches, and their number", () => {
    const { rows, sections, status, hasClear, field } = drawn("Ada");
    deepEqual([rows, sections, status, hasClear, field?.value], [["ada"], ["notes", "agents"], "1 match", true, "Ada"]);
    deepEqual([drawn("of").status, drawn("of").rows.length], ["8 matches", 8]);
  });

  test("shows the query without matches and a button that clears it", () => {
    const { rows, sections, status, hasClear } = drawn(" no\u202ene ");
    deepEqual(
      [rows, sections, status, hasClear],
      [[], ["notes"], "No agent or extension matches “no⟦U+202E⟧ne”.", true],
    );
  });

  test("disables the grips during a search", () => {
    const [idle, searching] = [drawn("").grips[0], drawn("x").grips[0]];
    equal(idle?.["disabled"], undefined);
    deepEqual([searching?.["disabled"], searching?.["title"]], ["", "Clear the search to move extensions."]);
    ok(idle?.["title"]?.startsWith("Drag to move."));
  });
});
