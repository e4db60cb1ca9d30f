import { deepEqual, doesNotMatch, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { AgentState, InstallProgress, InstallState, RegistryUpdate } from "../../protocol/agents/agent-service";
import { CAUSES, type Diagnosis } from "../../protocol/agents/diagnosis";
import { KNOWN_PROGRAMS } from "../../protocol/agents/known-programs";
import { ROW_ACTIONS, type AgentRow, type ExtensionRow, type Finding } from "../../protocol/settings/settings-view";
import { readSettings } from "../store/settings";
import { agentsOf } from "./agent-rows";
import { isUnpinned, howStarted } from "./row-texts";
import { settingsView } from "./view-state";
import { type SettingsModel, type Work, type Outcome, keyOf, type RowKey } from "./settings-model";

const ada = {
  id: "ada",
  name: "Ada",
  version: "1.0.0",
  distribution: { npx: { package: "@x/ada@1.0.0" } },
  _source: "registry",
};
const own = { id: "own", name: "Own", distribution: { local: { command: "own", args: ["--acp"] } }, _source: "custom" };
const house = { id: "house", name: "House", distribution: { cargo: { crate: "house" } }, _enabled: false };
const ready: AgentState = { kind: "local", install: { kind: "ready" }, running: 0 };
const missing: AgentState = { kind: "npx", install: { kind: "missing" }, running: 0 };
const installed: AgentState = { kind: "npx", install: { kind: "installed", version: "1.0.0" }, running: 0 };

function settingsOf(
  agents: readonly unknown[],
  currentAgentId = "",
  extensions: unknown = [],
): SettingsModel["settings"] {
  return readSettings(name =>
    name === "symposium.agents"
      ? agents
      : name === "symposium.currentAgentId"
        ? currentAgentId
        : name === "symposium.extensions"
          ? extensions
          : undefined,
  );
}
const model = (change: Partial<SettingsModel> = {}): SettingsModel => ({
  settings: settingsOf([ada, own], "", [house]),
  isTrusted: true,
  installing: new Map(),
  work: new Map(),
  outcomes: new Map(),
  dismissed: new Map(),
  updates: [],
  registry: { isReading: false },
  recommendations: { open: [], dismissed: 0, problems: [], adding: new Map(), stale: new Map() },
  icons: new Map(),
  found: {},
  withKeys: new Set(),
  outdatedTabs: 0,
  now: 1_000_000,
  ...change,
});
const states = (...all: readonly (readonly [string, AgentState])[]): Partial<SettingsModel> => ({
  agentStates: new Map(all),
});
const rowOf = (id: string, change: Partial<SettingsModel>): AgentRow =>
  settingsView(model(change), false).agents.find(row => row.id === id)!;
const houseWith = (change: Partial<SettingsModel>): ExtensionRow => settingsView(model(change), false).extensions[0]!;
const acts = (row: AgentRow | ExtensionRow) => row.buttons.map(({ action }) => action);
const marks = (row: AgentRow | ExtensionRow) => row.marks.map(({ text }) => text);
const findingText = (finding: Finding | undefined) =>
  finding && [finding.tone, finding.sentence, ...finding.buttons.map(({ label, action }) => `${label}=${action}`)];
const outcome = (of: Outcome): Partial<SettingsModel> => ({ outcomes: new Map([[keyOf("agent", "ada"), of]]) });

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

  test("shows a newer registry version once with its button", () => {
    const update: RegistryUpdate = { of: "agent", id: "ada", name: "Ada", from: "1.0.0", to: "1.1.0", entry: {} },
      row = rowOf("ada", { ...states(["ada", installed]), updates: [update, { ...update, of: "extension", to: "9" }] });
    deepEqual(
      [findingText(row.findings[0]), row.findings.length, acts(row).includes("update")],
      [["neutral", "The registry has version 1.1.0. Version 1.0.0 is installed.", "Update=update"], 1, false],
    );
  });

  test("shows a newer version of a built-in agent once with its button", () => {
    const update: RegistryUpdate = {
      of: "agent",
      id: "codex",
      name: "Codex",
      from: "1.0.0",
      to: "1.1.0",
      package: "@agentclientprotocol/codex-acp",
    };
    const row = rowOf("codex", { ...states(["codex", installed]), updates: [update] });
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
    for (const [bare, pinned] of [
      ["p", "p@1"],
      ["@s/p", "@s/p@1.2.3"],
      ["@s/p@latest", "p@next"],
    ] as const)
      deepEqual(
        [isUnpinned({ npx: { package: bare } }, "npx"), isUnpinned({ npx: { package: pinned } }, "npx")],
        [true, false],
      );
    for (const [bare, pinned] of [
      ["p", "p==1"],
      ["p[x]", "p[x]>=2"],
      ["p@latest", "p@1.0"],
    ] as const)
      deepEqual(
        [isUnpinned({ uvx: { package: bare } }, "uvx"), isUnpinned({ pipx: { package: pinned } }, "pipx")],
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

suite("agent findings", () => {
  const diagnosed = (diagnosis: Diagnosis): Outcome => ({ kind: "diagnosed", diagnosis, report: "R" });

  test("shows a diagnosis with its fix, report and dismissal", () => {
    const finding = rowOf("ada", {
      ...states(["ada", installed]),
      ...outcome(
        diagnosed({
          cause: "halfInstalled",
          sentence: "Ada is only partly installed.",
          fix: { action: "reinstall", label: "Install Again" },
          detail: "ENOENT",
        }),
      ),
    }).findings[0];
    deepEqual(
      [
        findingText(finding),
        finding?.detail,
        finding?.buttons.every(({ about }) => about === "Ada"),
        finding?.buttons[0]?.isMain,
      ],
      [
        [
          "error",
          "Ada is only partly installed.",
          "Install Again=reinstall",
          "Copy Report=copyReport",
          "Dismiss=dismiss",
        ],
        "ENOENT",
        true,
        true,
      ],
    );
  });

  test("is good for a working agent and a warning for sign-in", () =>
    deepEqual(
      (["fine", "signIn", "exited"] as const).map(
        cause => rowOf("ada", outcome(diagnosed({ cause, sentence: "S." }))).findings[0]?.tone,
      ),
      ["good", "warning", "error"],
    ));

  test("maps each fix to its action", () => {
    const buttonFor = (fix: NonNullable<Diagnosis["fix"]>, state: AgentState = installed) =>
      rowOf("ada", { ...states(["ada", state]), ...outcome(diagnosed({ cause: "exited", sentence: "S.", fix })) })
        .findings[0]?.buttons[0]?.action;
    const fix = (action: NonNullable<Diagnosis["fix"]>["action"], url?: string) => ({
      action,
      label: "L",
      ...(url === undefined ? {} : { url }),
    });
    deepEqual(
      [
        buttonFor(fix("settings")),
        buttonFor(fix("logs")),
        buttonFor(fix("signIn")),
        buttonFor(fix("retry")),
        buttonFor(fix("page", "https://nodejs.org/")),
      ],
      ["edit", "logs", "signIn", "examine", "page"],
    );
    deepEqual(
      [
        buttonFor(fix("install"), missing),
        buttonFor(fix("install")),
        buttonFor(fix("reinstall")),
        buttonFor(fix("reinstall"), missing),
      ],
      ["install", "reinstall", "reinstall", "install"],
    );
    for (const nowhere of [
      buttonFor(fix("page")),
      buttonFor(fix("page", "http://x")),
      buttonFor(fix("page", "javascript:1")),
      buttonFor(fix("install"), ready),
      buttonFor(fix("reinstall"), ready),
    ])
      equal(nowhere, "copyReport");
  });

  test("shows a failure with the log", () =>
    deepEqual(findingText(rowOf("ada", outcome({ kind: "failed", sentence: "npm says no." })).findings[0]), [
      "error",
      "npm says no.",
      "Show Logs=logs",
      "Dismiss=dismiss",
    ]));

  test("shows the last start failure until dismissed, unless a newer finding exists", () => {
    const change = (dismissed?: number) => ({
      ...states(["ada", { ...installed, lastError: { sentence: "It stopped.", at: 5 } }]),
      dismissed: new Map(dismissed === undefined ? [] : [[keyOf("agent", "ada"), dismissed]]),
    });
    deepEqual(findingText(rowOf("ada", change()).findings[0]), [
      "error",
      "It stopped.",
      "Check=examine",
      "Show Logs=logs",
      "Dismiss=dismiss",
    ]);
    deepEqual([rowOf("ada", change(5)).findings, rowOf("ada", change(4)).findings.length], [[], 1]);
    deepEqual(
      rowOf("ada", { ...change(), ...outcome({ kind: "failed", sentence: "F." }) }).findings.map(
        ({ sentence }) => sentence,
      ),
      ["F."],
    );
  });
});

suite("extension row", () => {
  test("shows an installation without a version", () => {
    const row = houseWith({
      extensionStates: new Map<string, InstallState>([["house", { kind: "binary", install: { kind: "installed" } }]]),
    });
    ok(row && marks(row).includes("installed"), row && marks(row).join());
  });

  test("keeps the order and shows switch and state", () => {
    const row = houseWith({
      extensionStates: new Map<string, InstallState>([
        ["house", { kind: "cargo", install: { kind: "installed", version: "0.1.0" } }],
      ]),
    });
    deepEqual(
      [row.isEnabled, row.origin, marks(row), acts(row)],
      [false, "Your own, crate house", ["installed 0.1.0"], ["update", "edit", "uninstall", "remove"]],
    );
  });

  test("shows that an extension is an MCP server", () => {
    const row = settingsView(model({ settings: settingsOf([], "", [{ ...house, kind: "mcp" }]) }), false).extensions[0];
    equal(row?.origin, "Your own, MCP server, crate house");
  });

  test("shows an address without secrets and no installation", () => {
    const at = (url: string) => ({ ...house, kind: "mcp" as const, distribution: { http: { url } } });
    const rowAt = (url: string, state: InstallState) =>
      settingsView(
        model({ settings: settingsOf([], "", [at(url)]), extensionStates: new Map([["house", state]]) }),
        false,
      ).extensions[0]!;
    const ready = { kind: "http", install: { kind: "ready" } } as const,
      row = rowAt("https://mcp.example.com:8443/v1/?key=hunter2#x", ready),
      wrong = rowAt("nowhere", { ...ready, missing: "House cannot be used." });
    deepEqual(
      [row.origin, marks(row), row.findings, acts(row)],
      ["Your own, MCP server, at mcp.example.com:8443/v1", [], [], ["edit", "remove"]],
    );
    deepEqual(
      [wrong.origin, wrong.findings.map(({ sentence }) => sentence)],
      ["Your own, MCP server, at an invalid URL", ["House cannot be used."]],
    );
    equal(howStarted({ http: { url: "http://localhost:1" } }, "http"), "at localhost:1");
  });

  test("is separate from an agent with the same id", () => {
    const settings = settingsOf([{ ...own, id: "house" }], "", [house]);
    const row = houseWith({
      settings,
      ...states(["house", installed]),
      outcomes: new Map([[keyOf("agent", "house"), { kind: "failed", sentence: "F." }]]),
      work: new Map([[keyOf("agent", "house"), "examining"]]),
    });
    deepEqual([marks(row), row.findings, row.progress], [["…"], [], undefined]);
  });

  test("offers another installation after a failed start", () => {
    const row = houseWith({
      extensionStates: new Map<string, InstallState>([
        [
          "house",
          {
            kind: "cargo",
            install: { kind: "installed", version: "0.1.0" },
            lastError: { sentence: "It stopped.", at: 1 },
          },
        ],
      ]),
    });
    deepEqual(findingText(row.findings[0]), [
      "error",
      "It stopped.",
      "Install Again=reinstall",
      "Show Logs=logs",
      "Dismiss=dismiss",
    ]);
  });
});

suite("settings view", () => {
  test("shows the configuration and the reason for restrictions in an untrusted workspace", () => {
    const view = settingsView(model({ isTrusted: false, ...states(["ada", installed]), sidecar: "gone" }), true);
    ok(
      [...view.agents, ...view.extensions].every(
        ({ buttons, findings }) => buttons.length === 0 && findings.every(finding => finding.buttons.length === 0),
      ),
    );
    deepEqual(
      [view.isRestricted, view.isPage, view.notes.map(({ button }) => button?.action)],
      [true, true, ["trust"]],
    );
    doesNotMatch(JSON.stringify(view.agents), /…|installed/);
  });

  test("contains notes for invalid settings, a missing sidecar and outdated tabs", () => {
    const view = settingsView(
      model({ settings: settingsOf([{ id: "bad" }], "gone"), sidecar: "It stopped.", outdatedTabs: 2 }),
      false,
    );
    deepEqual(
      view.notes.map(({ tone, button }) => [tone, button?.action]),
      [
        ["warning", "settingsFile"],
        ["error", undefined],
        ["neutral", "newTab"],
      ],
    );
    equal(view.notes[2]?.sentence, "2 open tabs still use their old settings.");
    equal(
      settingsView(model({ outdatedTabs: 1 }), false).notes[0]?.sentence,
      "1 open tab still uses its old settings.",
    );
  });

  test("shows the age of the registry and its last error", () => {
    const registry = (of: SettingsModel["registry"]) =>
      settingsView(model({ registry: of, now: 7_200_000 }), false).registry;
    deepEqual(
      [
        registry({ isReading: false }),
        registry({ isReading: true, problem: "x" }),
        registry({ isReading: false, fetchedAt: 0 }),
        registry({ isReading: false, fetchedAt: 0, problem: "There is no network." }),
      ],
      [
        undefined,
        "Reading the registry…",
        "The registry was read 2 hours ago.",
        "There is no network. The registry was read 2 hours ago.",
      ],
    );
  });
});

const anyInstall: fc.Arbitrary<InstallState["install"]> = fc.oneof(
  fc.constantFrom({ kind: "ready" as const }, { kind: "missing" as const }),
  fc.record({ kind: fc.constant("installed" as const), version: fc.string() }),
  fc.record({
    kind: fc.constant("installing" as const),
    phase: fc.constantFrom("waiting", "downloading", "unpacking", "installing"),
  }),
);
const anyState: fc.Arbitrary<AgentState> = fc.record(
  {
    kind: fc.constantFrom("npx", "local", "cargo", "binary", "symposium"),
    install: anyInstall,
    missing: fc.string(),
    running: fc.nat(3),
    signIn: fc.constantFrom("in" as const, "needed" as const),
    canSignOut: fc.constant(true as const),
    lastError: fc.record({ sentence: fc.string(), at: fc.nat(9) }),
  },
  { requiredKeys: ["install", "running"] },
);
const anyId = fc.oneof(
  fc.constantFrom("ada", "own", "codex", "elizacp", "kiro-cli", "goose", "toString", "__proto__"),
  fc.string({ minLength: 1 }),
);
const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constant("failed" as const), sentence: fc.string() }),
  fc.record({
    kind: fc.constant("diagnosed" as const),
    report: fc.string(),
    diagnosis: fc.record(
      {
        cause: fc.constantFrom(...CAUSES),
        sentence: fc.string(),
        fix: fc.record(
          {
            action: fc.constantFrom("install", "reinstall", "settings", "logs", "signIn", "retry", "page"),
            label: fc.string(),
            url: fc.constantFrom("https://x/", "http://x/", "nonsense"),
          },
          { requiredKeys: ["action", "label"] },
        ),
      },
      { requiredKeys: ["cause", "sentence"] },
    ),
  }),
);
const anyKey: fc.Arbitrary<RowKey> = fc
  .tuple(fc.constantFrom("agent" as const, "extension" as const), anyId)
  .map(([of, id]) => keyOf(of, id));
const anyMap = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(anyKey, value), { maxLength: 6 }).map(entries => new Map(entries));
const anyModel: fc.Arbitrary<SettingsModel> = fc.record({
  settings: fc
    .record({
      agents: fc.array(
        anyId.map(id => ({ ...own, id })),
        { maxLength: 4 },
      ),
      current: anyId,
      extensions: fc.array(
        anyId.map(id => ({ ...house, id })),
        { maxLength: 3 },
      ),
    })
    .map(({ agents, current, extensions }) => settingsOf(agents, current, extensions)),
  isTrusted: fc.boolean(),
  agentStates: fc.array(fc.tuple(anyId, anyState), { maxLength: 8 }).map(entries => new Map(entries)),
  extensionStates: fc.array(fc.tuple(anyId, anyState), { maxLength: 8 }).map(entries => new Map(entries)),
  installing: anyMap(
    fc.record(
      { phase: fc.constantFrom("waiting", "downloading", "unpacking", "installing"), done: fc.nat(), total: fc.nat() },
      { requiredKeys: ["phase"] },
    ),
  ),
  work: anyMap(fc.constantFrom<Work>("starting", "examining", "removing", "signingOut")),
  outcomes: anyMap(anyOutcome),
  dismissed: anyMap(fc.nat(9)),
  updates: fc.array(
    fc.oneof(
      fc.record({
        of: fc.constantFrom("agent" as const, "extension" as const),
        id: anyId,
        name: fc.string(),
        to: fc.string(),
        entry: fc.constant({}),
      }),
      fc.record({
        of: fc.constant("agent" as const),
        id: anyId,
        name: fc.string(),
        from: fc.string(),
        to: fc.string(),
        package: fc.string(),
      }),
    ),
  ),
  registry: fc.record({ isReading: fc.boolean() }),
  recommendations: fc.record({
    open: fc.uniqueArray(
      anyId.map(id => ({
        key: `crate ${id}`,
        source: { crate: id },
        reasons: [{ by: { kind: "symposium" as const }, facts: [{ kind: "crate" as const, name: id }] }],
      })),
      { maxLength: 3, selector: ({ key }) => key },
    ),
    dismissed: fc.nat(2),
    problems: fc.array(fc.string(), { maxLength: 2 }),
    adding: fc
      .array(
        fc.tuple(
          anyId.map(id => `crate ${id}`),
          fc.constant({ kind: "adding" as const }),
        ),
        { maxLength: 2 },
      )
      .map(entries => new Map(entries)),
    stale: fc
      .array(fc.tuple(anyId, fc.array(fc.string(), { minLength: 1, maxLength: 2 })), { maxLength: 3 })
      .map(entries => new Map(entries)),
  }),
  icons: fc.constant(new Map<string, string>()),
  found: fc
    .subarray(KNOWN_PROGRAMS.map(({ program }) => program))
    .map(programs => Object.fromEntries(programs.map(program => [program, `/bin/${program}`]))),
  withKeys: fc.array(anyId).map(ids => new Set(ids)),
  outdatedTabs: fc.nat(3),
  now: fc.nat(),
});

suite("settings view for any state", () => {
  test("has one row per agent, extension and found program (property)", () =>
    fc.assert(
      fc.property(anyModel, it => {
        const view = settingsView(it, false);
        deepEqual(
          view.agents.map(({ id }) => id).toSorted(),
          agentsOf(it)
            .map(({ id }) => id)
            .toSorted(),
        );
        equal(new Set(view.agents.map(({ id }) => id)).size, view.agents.length);
        deepEqual(
          view.extensions.map(({ id }) => id),
          it.settings.allExtensions.map(({ config }) => config.id),
        );
        equal(view.agents.filter(({ isCurrent }) => isCurrent).length, 1);
      }),
      { numRuns: 300 },
    ));

  test("offers only possible actions (property)", () =>
    fc.assert(
      fc.property(anyModel, it => {
        const view = settingsView(it, false),
          usable = new Set<string>(ROW_ACTIONS);
        for (const [of, rows] of [
          ["agent", view.agents],
          ["extension", view.extensions],
        ] as const)
          for (const row of rows) {
            const key = keyOf(of, row.id),
              state = (of === "agent" ? it.agentStates : it.extensionStates)?.get(row.id),
              all = [...row.buttons, ...row.findings.flatMap(({ buttons }) => buttons)];
            equal(new Set(row.buttons.map(({ action }) => action)).size, row.buttons.length);
            if (!it.isTrusted) equal(all.length, 0);
            for (const { action, label, about } of all) {
              ok(usable.has(action) && label !== undefined && about === row.name);
              if (of === "extension") ok(!["choose", "examine", "signIn", "signOut"].includes(action), action);
              if (action === "copyReport" || action === "page") equal(it.outcomes.get(key)?.kind, "diagnosed");
              if (action === "uninstall" || action === "reinstall") equal(state?.install.kind, "installed");
              if (action === "install") equal(state?.install.kind, "missing");
              if (action === "remove" && of === "agent") ok(it.settings.own.includes(row.id));
              if (action === "cancel") ok(row.progress);
              if (["install", "uninstall", "reinstall", "remove", "update", "examine"].includes(action))
                equal(row.progress, undefined);
            }
          }
      }),
      { numRuns: 500 },
    ));

  test("survives serialization (property)", () =>
    fc.assert(
      fc.property(anyModel, it => {
        const view = settingsView(it, true);
        deepEqual(JSON.parse(JSON.stringify(view)), view);
      }),
      { numRuns: 100 },
    ));
});
