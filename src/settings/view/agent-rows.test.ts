import { deepEqual, equal, ok } from "node:assert/strict";
import type { InstallProgress, RegistryUpdate } from "../../protocol/agents/agent-service";
import type { DistributionKind } from "../../protocol/agents/distribution";
import {
  acts,
  ada,
  findingText,
  installed,
  marks,
  missing,
  model,
  own,
  ready,
  rowOf,
  settingsOf,
  states,
} from "../../testing/settings-model-fixture";
import { isUnpinned, howStarted } from "./row-texts";
import { keyOf, type SettingsModel, type Work } from "./settings-model";
import { settingsView } from "./view-state";

suite("agent row", () => {
  test("lists selected, installed and configured agents first, in order", () => {
    const ids = (change: Partial<SettingsModel>) => settingsView(model(change), false).agents.map(({ id }) => id);
    deepEqual(ids({}), ["elizacp", "ada", "own", "zed-claude-code", "codex", "gemini"]);
    deepEqual(ids({ settings: settingsOf([own], "gemini") }), ["elizacp", "gemini", "own", "zed-claude-code", "codex"]);
    deepEqual(ids(states(["codex", installed])), ["elizacp", "codex", "ada", "own", "zed-claude-code", "gemini"]);
  });

  test("shows its source and start command", () => {
    const origins = Object.fromEntries(
      settingsView(
        model({ settings: settingsOf([ada, own, { id: "codex", bypassPermissions: true }]) }),
        false,
      ).agents.map(({ id, origin }) => [id, origin]),
    );
    deepEqual(origins, {
      elizacp: "Built in, part of Symposium",
      ada: "From the registry, npm package @x/ada@1.0.0",
      own: "Your own, program own --acp",
      codex: "Built in, changed by you, npm package @agentclientprotocol/codex-acp",
      "zed-claude-code": "Built in, npm package @agentclientprotocol/claude-agent-acp",
      gemini: "Built in, npm package @google/gemini-cli",
    });
  });

  test("names the effective one of several distributions", () => {
    const both = { npx: { package: "p" }, uvx: { package: "q" } };
    deepEqual(
      [howStarted(both, "uvx"), howStarted(both, undefined), howStarted(both, "binary")],
      ["Python package q", "npm package p", "npm package p"],
    );
    deepEqual(
      [
        howStarted({ cargo: { crate: "c", version: "1.0.0" } }, "cargo"),
        howStarted({ executable: { path: "/e" } }, undefined),
        howStarted({}, undefined),
      ],
      ["crate c 1.0.0", "program /e", "unsupported distribution"],
    );
  });

  test("offers no installation actions while the state is unknown", () => {
    const row = rowOf("ada", {});
    deepEqual([marks(row), acts(row)], [["…"], ["choose", "examine", "edit", "remove"]]);
  });

  test("offers an installation or shows the version with uninstall", () => {
    deepEqual(
      [marks(rowOf("ada", states(["ada", missing]))), acts(rowOf("ada", states(["ada", missing])))],
      [["not installed"], ["choose", "install", "examine", "edit", "remove"]],
    );
    const row = rowOf("ada", states(["ada", { ...installed, running: 2, signIn: "in", canSignOut: true }]));
    deepEqual(
      [marks(row), acts(row)],
      [
        ["installed 1.0.0", "signed in", "2 running"],
        ["choose", "signOut", "examine", "edit", "uninstall", "remove"],
      ],
    );
  });

  test("shows no installation state if none is required", () =>
    deepEqual(
      [marks(rowOf("own", states(["own", ready]))), acts(rowOf("own", states(["own", ready])))],
      [[], ["choose", "examine", "edit", "remove"]],
    ));

  test("marks the selected agent without another selection", () => {
    const row = rowOf("ada", { settings: settingsOf([ada], "ada"), ...states(["ada", installed]) });
    deepEqual([row.isCurrent, acts(row).includes("choose")], [true, false]);
  });

  test("offers no removal of a built-in agent, and editing only if configured", () => {
    deepEqual(acts(rowOf("codex", states(["codex", installed]))), ["choose", "update", "examine", "uninstall"]);
    deepEqual(acts(rowOf("codex", { settings: settingsOf([{ id: "codex", bypassPermissions: true }]) })), [
      "choose",
      "examine",
      "edit",
    ]);
    deepEqual(acts(rowOf("kiro-cli", { settings: settingsOf([{ id: "kiro-cli" }]) })), [
      "choose",
      "examine",
      "edit",
      "remove",
    ]);
  });

  test("shows why an agent is unavailable", () => {
    const { kind: _, ...without } = missing,
      row = rowOf("ada", states(["ada", { ...without, missing: "Ada needs npm, and there is none." }]));
    deepEqual(
      [marks(row), acts(row).includes("install"), findingText(row.findings[0])],
      [["not for this computer"], false, ["warning", "Ada needs npm, and there is none."]],
    );
  });

  test("shows the progress of an installation with cancel as the only action", () => {
    const going = (progress: InstallProgress) =>
      rowOf("ada", { ...states(["ada", missing]), installing: new Map([[keyOf("agent", "ada"), progress]]) });
    deepEqual(
      [
        going({ phase: "downloading", done: 3_000_000, total: 12_000_000 }).progress,
        acts(going({ phase: "waiting" })),
        marks(going({ phase: "waiting" })),
      ],
      [{ label: "Downloading, 3.0 of 12.0 MB", percent: 25 }, ["choose", "cancel", "edit"], []],
    );
    deepEqual(
      (
        [
          { phase: "downloading" },
          { phase: "downloading", done: 5_000_000 },
          { phase: "unpacking", done: 9, total: 1 },
          { phase: "installing" },
          { phase: "installing", line: " added 3 packages " },
          { phase: "waiting", done: 1, total: 0 },
        ] as const
      ).map(progress => going(progress).progress),
      [
        { label: "Downloading…" },
        { label: "Downloading, 5.0 MB" },
        { label: "Unpacking…", percent: 100 },
        { label: "Installing…" },
        { label: "Installing: added 3 packages" },
        { label: "Waiting for another installation…" },
      ],
    );
    deepEqual(
      rowOf("ada", states(["ada", { ...missing, install: { kind: "installing", phase: "unpacking" } }])).progress,
      { label: "Unpacking…" },
    );
  });

  test("shows a running action and does not offer it again", () => {
    const during = (work: Work) =>
      rowOf("ada", {
        ...states(["ada", { ...installed, canSignOut: true }]),
        work: new Map([[keyOf("agent", "ada"), work]]),
      });
    deepEqual(
      (["starting", "examining", "removing", "signingOut"] as const).map(work => [
        during(work).progress?.label,
        acts(during(work)),
      ]),
      [
        ["Installing…", ["choose", "cancel", "edit"]],
        ["Checking…", ["choose", "edit"]],
        ["Removing…", ["choose", "edit"]],
        ["Signing out…", ["choose", "edit"]],
      ],
    );
  });

  test("offers sign-in if needed and sign-out if possible, also for keys", () => {
    const row = rowOf("ada", states(["ada", { ...installed, signIn: "needed" }]));
    deepEqual(
      [marks(row).includes("sign-in required"), acts(row).includes("signIn"), acts(row).includes("signOut")],
      [true, true, false],
    );
    ok(acts(rowOf("ada", { ...states(["ada", installed]), withKeys: new Set(["ada"]) })).includes("signOut"));
  });

  const NEWER = { of: "agent", from: "1.0.0", to: "1.1.0" } as const;
  const updates: readonly [what: string, update: RegistryUpdate][] = [
    ["registry version", { ...NEWER, id: "ada", name: "Ada", entry: {} }],
    [
      "version of a built-in agent",
      { ...NEWER, id: "codex", name: "Codex", package: "@agentclientprotocol/codex-acp" },
    ],
  ];
  for (const [what, update] of updates)
    test(`shows a newer ${what} once with its button`, () => {
      const { id, name } = update,
        ofExtension: RegistryUpdate = { of: "extension", id, name, from: "1.0.0", to: "9", entry: {} },
        row = rowOf(id, { ...states([id, installed]), updates: [update, ofExtension] });
      deepEqual(
        [marks(row), findingText(row.findings[0]), row.findings.length, acts(row).includes("update")],
        [
          ["installed 1.0.0"],
          ["neutral", "The registry has version 1.1.0. Version 1.0.0 is installed.", "Update=update"],
          1,
          false,
        ],
      );
    });

  test("offers an update check for unpinned packages", () => {
    const table: readonly [kinds: readonly DistributionKind[], unpinned: string, pinned: string][] = [
      [["npx"], "p", "p@1"],
      [["npx"], "@s/p", "@s/p@1.2.3"],
      [["npx"], "@s/p@latest", "p@next"],
      [["uvx", "pipx"], "p", "p==1"],
      [["uvx", "pipx"], "p[x]", "p[x]>=2"],
      [["uvx", "pipx"], "p@latest", "p@1.0"],
    ];
    for (const [kinds, unpinned, pinned] of table)
      for (const kind of kinds)
        deepEqual(
          [unpinned, pinned].map(name => isUnpinned({ [kind]: { package: name } }, kind)),
          [true, false],
        );
    deepEqual(
      [
        isUnpinned({ cargo: { crate: "c" } }, "cargo"),
        isUnpinned({ cargo: { crate: "c", version: "1" } }, "cargo"),
        isUnpinned({ local: { command: "c" } }, "local"),
      ],
      [true, false, false],
    );
  });

  test("marks found programs with their path and adds rows for unknown ones", () => {
    const change = { found: { claude: "/bin/claude", goose: "/g" }, ...states(["goose", ready]) };
    deepEqual(
      [
        marks(rowOf("zed-claude-code", change)).at(-1),
        marks(rowOf("goose", change)),
        acts(rowOf("goose", change)),
        rowOf("goose", change).origin,
        "bypass" in rowOf("goose", change),
      ],
      ["found: /bin/claude", ["found: /g"], ["choose", "examine"], "On this computer, program goose acp", false],
    );
  });

  test("offers the bypass switch for installed agents, and keeps one that is on", () => {
    const missing = states(["ada", { ...ready, install: { kind: "missing" } }]),
      on = { settings: settingsOf([{ ...ada, bypassPermissions: true }]) };
    deepEqual(
      [rowOf("ada", missing), rowOf("ada", { ...missing, ...on }), rowOf("ada", {})].map(({ bypass }) => bypass),
      [undefined, true, false],
    );
  });

  test("shows the bypass switch except for Eliza", () => {
    const rows = settingsView(
      model({ settings: settingsOf([{ ...ada, bypassPermissions: true }, own]) }),
      false,
    ).agents;
    deepEqual(rows.map(({ id, bypass }) => [id, bypass]).slice(0, 3), [
      ["elizacp", undefined],
      ["ada", true],
      ["own", false],
    ]);
  });

  test("uses the registry's icon", () =>
    equal(rowOf("ada", { icons: new Map([["ada", "data:image/png;base64,AA"]]) }).icon, "data:image/png;base64,AA"));
});
