import { deepEqual, equal } from "node:assert/strict";
import type { RegistryView } from "../../protocol/agents/agent-service";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
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

suite("extensions to add", () => {
  test("contains built-in, registry and custom ones", () =>
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
      "+ From URL of an MCP server",
      "+ From URL to extension.json",
    ]));

  test("shows existing and unavailable ones last, disabled", () => {
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

  test("omits an empty built-in group and shows the registry's state", () => {
    deepEqual(lines().slice(0, 3), ["From Registry", "  Reading the agent registry…", "Add Custom"]);
    deepEqual(lines(view()).slice(0, 3), ["From Registry", "  The registry has no agent extensions.", "Add Custom"]);
    deepEqual(lines({ ...view(of("ada")), problem: "It cannot be reached." }).slice(0, 3), [
      "From Registry",
      "  $(warning) It cannot be reached.",
      "+ ADA 1.0.0",
    ]);
  });

  test("uses the registry's entry, or the name of a built-in one", () => {
    const groups = extensionGroups([], view(of("ada")), [SPARK]),
      chosen = groups.flatMap(({ items }) =>
        items.flatMap(item => (item.chosen?.kind === "entry" ? [item.chosen.entry] : [])),
      );
    deepEqual(chosen, [
      { id: "spark", _source: "built-in" },
      { id: "ada", _source: "registry", more: 1 },
    ]);
  });

  test("keeps the focused item when the registry has loaded", () => {
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

  test("has the kind proxy or MCP server in a custom entry", () => {
    const entry = { id: "x", distribution: {} };
    deepEqual(
      CUSTOM_KINDS.map(({ is }) => ofKind(entry, is)),
      [entry, { ...entry, kind: "mcp" }],
    );
  });

  test("gets a unique id beside existing entries, except a newer registry entry", () => {
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
