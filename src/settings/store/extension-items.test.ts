import { deepEqual, equal } from "node:assert/strict";
import type { RegistryView } from "../../protocol/agent-service";
import type { ExtensionConfig } from "../../protocol/extensions";
import { added, CUSTOM_KINDS, extensionGroups, ofKind, sameItem } from "./extension-items";

const SPARK: ExtensionConfig = {
  id: "spark",
  name: "Spark",
  description: "Collaborates",
  distribution: { symposium: { subcommand: "spark" } },
  _source: "built-in",
};
const IRON: ExtensionConfig = {
  id: "iron",
  name: "Iron",
  distribution: { symposium: { subcommand: "iron" } },
  _source: "built-in",
};
const mine = (id: string): ExtensionConfig => ({
  id,
  name: id,
  distribution: { local: { command: id } },
  _source: "custom",
});
const of = (id: string, missing?: string) => ({
  id,
  name: id.toUpperCase(),
  version: "1.0.0",
  description: `about ${id}`,
  entry: { id, _source: "registry", more: 1 },
  ...(missing === undefined ? {} : { missing }),
});
const view = (...extensions: RegistryView["extensions"]): RegistryView => ({ agents: [], extensions });
const lines = (
  registry?: RegistryView,
  there: readonly ExtensionConfig[] = [],
  builtIns: readonly ExtensionConfig[] = [],
) =>
  extensionGroups(
    there.map(config => ({ config, isEnabled: false })),
    registry,
    builtIns,
  ).flatMap(({ title, items }) => [
    title,
    ...items.map(({ label, description = "", chosen }) => `${chosen ? "+" : " "} ${label} ${description}`.trimEnd()),
  ]);

suite("extensions to be added", () => {
  test("are those that are built in, those of the registry, and the user's own", () =>
    deepEqual(lines(view(of("ada")), [], [SPARK]), [
      "Built-in",
      "+ Spark",
      "From Registry",
      "+ ADA 1.0.0",
      "Add Custom",
      "+ From executable on your system",
      "+ From npx package",
      "+ From uvx or pipx package",
      "+ From cargo crate",
      "+ From URL of a server that speaks MCP",
      "+ From URL to extension.json",
    ]));

  test("what is there already, and what cannot be had here, is shown and cannot be chosen, behind what can", () => {
    const registry = view(of("none", "It needs uv."), of("there"), of("ada"));
    deepEqual(lines(registry, [mine("there"), SPARK], [SPARK, IRON]).slice(0, 7), [
      "Built-in",
      "  Spark already added",
      "+ Iron",
      "From Registry",
      "+ ADA 1.0.0",
      "  $(circle-slash) NONE 1.0.0",
      "  THERE 1.0.0, already added",
    ]);
    equal(extensionGroups([], registry, [])[0]?.items.at(-1)?.detail, "It needs uv.");
  });

  test("as long as nothing is built in there is no group of it; the registry's says how it is with it", () => {
    deepEqual(lines().slice(0, 3), ["From Registry", "  Reading the agent registry…", "Add Custom"]);
    deepEqual(lines(view()).slice(0, 3), ["From Registry", "  It has no agent extensions.", "Add Custom"]);
    deepEqual(lines({ ...view(of("ada")), problem: "It cannot be reached." }).slice(0, 3), [
      "From Registry",
      "  $(warning) It cannot be reached.",
      "+ ADA 1.0.0",
    ]);
  });

  test("one of the registry comes as its entry, a built-in one as its name alone", () => {
    const groups = extensionGroups([], view(of("ada")), [SPARK]),
      chosen = groups.flatMap(({ items }) =>
        items.flatMap(item => (item.chosen?.kind === "entry" ? [item.chosen.entry] : [])),
      );
    deepEqual(chosen, [
      { id: "spark", _source: "built-in" },
      { id: "ada", _source: "registry", more: 1 },
    ]);
  });

  test("what the user is at stays that when the registry has been read", () => {
    const items = (registry?: RegistryView) => extensionGroups([], registry, [SPARK]).flatMap(group => group.items),
      before = items(),
      after = items(view(of("ada")));
    for (const label of ["Spark", "From npx package"])
      equal(
        sameItem(
          after,
          before.find(item => item.label === label),
        ),
        after.find(item => item.label === label),
      );
    deepEqual(
      [
        sameItem(
          after,
          before.find(({ label }) => label.startsWith("Reading")),
        ),
        sameItem(after, undefined),
        sameItem(
          items(),
          after.find(({ label }) => label === "ADA"),
        ),
      ],
      [undefined, undefined, undefined],
    );
  });

  test("one of the user's own is a proxy, or an MCP server, which is said in its entry", () => {
    const entry = { id: "x", distribution: {} };
    deepEqual(
      CUSTOM_KINDS.map(({ is }) => ofKind(entry, is)),
      [entry, { ...entry, kind: "mcp" }],
    );
  });

  test("one of the user's own stands beside all that there is, also beside what cannot be read; one of the registry in the place of its older self", () => {
    const entry = { id: "spark", distribution: { local: { command: "x" } } };
    deepEqual(added([{ id: "spark-2" }], entry, true, [SPARK]), {
      id: "spark-3",
      value: [{ id: "spark-2" }, { _enabled: true, ...entry, id: "spark-3", _source: "custom" }],
    });
    deepEqual(added([{ id: "ada" }], { ...of("ada").entry }, false, []), {
      id: "ada",
      value: [{ _enabled: true, id: "ada", _source: "registry", more: 1 }],
    });
  });
});
