import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { AgentState, InstallState } from "../../protocol/agents/agent-service";
import { CAUSES } from "../../protocol/agents/diagnosis";
import { KNOWN_PROGRAMS } from "../../protocol/agents/known-programs";
import { ROW_ACTIONS } from "../../protocol/settings/settings-view";
import { house, own, settingsOf } from "../../testing/settings-model-fixture";
import { agentsOf } from "./agent-rows";
import { type SettingsModel, type Work, type Outcome, keyOf, type RowKey } from "./settings-model";
import { settingsView } from "./view-state";

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
