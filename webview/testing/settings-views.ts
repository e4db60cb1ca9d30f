/** Settings views for tests: a plain one, and arbitrary ones with untrusted names. */
import fc from "fast-check";
import { BUILT_IN_SETTINGS } from "../../src/protocol/agents/built-in-settings";
import { defaultOf } from "../../src/protocol/agents/extension-settings";
import { settingValue } from "../../src/protocol/testing/setting-values";
import {
  NOTE_ACTIONS,
  ROW_ACTIONS,
  UPDATE_MODES,
  type AgentRow,
  type ExtensionRow,
  type Finding,
  type Mark,
  type Note,
  type RecommendationRow,
  type RowButton,
  type SettingRow,
  type SettingsGroup,
  type SettingsView,
  type Tone,
} from "../../src/protocol/settings/settings-view";

export const agent = (id: string, overrides: Partial<AgentRow> = {}): AgentRow => ({
  id,
  name: id.toUpperCase(),
  origin: `of ${id}`,
  marks: [],
  findings: [],
  buttons: [],
  isCurrent: false,
  ...overrides,
});
export const extension = (id: string, overrides: Partial<ExtensionRow> = {}): ExtensionRow => ({
  id,
  name: id.toUpperCase(),
  origin: `of ${id}`,
  marks: [],
  findings: [],
  buttons: [{ action: "remove", label: "Remove" }],
  isEnabled: true,
  ...overrides,
});
export const recommendation = (id: string, overrides: Partial<RecommendationRow> = {}): RecommendationRow => ({
  id,
  name: id.toUpperCase(),
  origin: `of ${id}`,
  findings: [{ tone: "neutral", sentence: "Recommended.", buttons: [] }],
  buttons: [
    { action: "add", label: "Add", isMain: true },
    { action: "dismiss", label: "Dismiss", isMain: true },
  ],
  ...overrides,
});
/** The settings of Cargo, with these values in settings.json. */
export const cargoSettings = (
  overrides: Partial<Readonly<Record<string, Partial<SettingRow>>>> = {},
): SettingsGroup => ({
  rows: Object.entries(BUILT_IN_SETTINGS["cargo"] ?? {}).map(([name, control]) => ({
    name,
    control,
    value: defaultOf(control),
    isChanged: false,
    ...overrides[name],
  })),
  others: [],
});
export const view = (overrides: Partial<SettingsView> = {}): SettingsView => ({
  agents: [agent("ada"), agent("bob")],
  extensions: [extension("x"), extension("y"), extension("z")],
  requireModifier: false,
  updates: "notify",
  notes: [],
  isRestricted: false,
  isPage: false,
  ...overrides,
});

const hostile = fc.constantFrom(
  "",
  " ",
  "<b>bold</b>",
  "__proto__",
  "constructor",
  "a\u202eb",
  "\u0000",
  "x".repeat(5_000),
  "\ud83d\udc69\u200d\ud83d\udcbb",
  "\ud800",
  "line\none",
  "id with spaces",
  "id\"quoted'",
  "שלום",
  "مرحبا",
);
const text = fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 12 }), fc.string({ maxLength: 12 }));
const id = fc.oneof(fc.constantFrom("ada", "ada-name", "ada-name-on", "name-ada", "claude-code", "x"), text);
const maybe = <T>(each: fc.Arbitrary<T>) => fc.option(each, { nil: undefined });
const flag = fc.boolean();
const tone = fc.constantFrom<Tone>("neutral", "good", "warning", "error");

/** Omits undefined properties. */
const withoutUndefined = <T extends object>(
  arbitrary: fc.Arbitrary<{ [K in keyof T]: T[K] | undefined }>,
): fc.Arbitrary<T> =>
  arbitrary.map(each => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)) as T);

const button = withoutUndefined<RowButton>(
  fc.record({
    action: fc.constantFrom(...ROW_ACTIONS),
    label: text,
    about: maybe(text),
    isMain: maybe(fc.constant(true as const)),
  }),
);
const buttons = fc.array(button, { maxLength: 5 });
const marks = fc.array(fc.record<Mark>({ tone, text }), { maxLength: 3 });
const findings = fc.array(
  withoutUndefined<Finding>(fc.record({ tone, sentence: text, detail: maybe(text), buttons })),
  {
    maxLength: 2,
  },
);
const progress = fc.oneof(
  fc.record({ label: text }),
  fc.record({ label: text, percent: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double()) }),
);
const icon = fc.constantFrom(
  "data:image/png;base64,iVBORw0KGgo=",
  "data:image/svg+xml,%3Csvg%20fill='currentColor'/%3E",
  "data:image/svg+xml;base64,!!",
  "https://example.com/a.png",
  "javascript:alert(1)",
  "data:text/html,<script>",
);
const recommended = {
  id,
  name: text,
  description: maybe(text),
  origin: text,
  progress: maybe(progress),
  findings,
  buttons,
};
const row = { ...recommended, icon: maybe(icon), marks };
const setting: fc.Arbitrary<SettingRow> = fc
  .constantFrom(...Object.values(BUILT_IN_SETTINGS).flatMap(schema => Object.entries(schema)))
  .chain(([name, control]) =>
    withoutUndefined<SettingRow>(
      fc.record({
        name: fc.constant(name),
        control: fc.constant(control),
        value: settingValue(control),
        isChanged: flag,
        problem: maybe(text),
      }),
    ),
  );
const settings = fc.record<SettingsGroup>({
  rows: fc.uniqueArray(setting, { selector: ({ name }) => name, maxLength: 4 }),
  others: fc.array(text, { maxLength: 2 }),
});
const note = withoutUndefined<Note>(
  fc.record({
    tone,
    sentence: text,
    button: maybe(fc.record({ action: fc.constantFrom(...NOTE_ACTIONS), label: text })),
  }),
);

export const anyView: fc.Arbitrary<SettingsView> = withoutUndefined<SettingsView>(
  fc.record({
    agents: fc.array(withoutUndefined<AgentRow>(fc.record({ ...row, isCurrent: flag, bypass: maybe(flag) })), {
      maxLength: 5,
    }),
    extensions: fc.array(
      withoutUndefined<ExtensionRow>(fc.record({ ...row, isEnabled: flag, settings: maybe(settings) })),
      { maxLength: 5 },
    ),
    recommendations: maybe(
      fc.record({
        rows: fc.uniqueArray(withoutUndefined<RecommendationRow>(fc.record(recommended)), {
          maxLength: 3,
          selector: each => each.id,
        }),
        hidden: fc.nat(2),
        problems: fc.array(text, { maxLength: 2 }),
        dismissed: fc.nat(2),
      }),
    ),
    requireModifier: flag,
    updates: fc.constantFrom(...UPDATE_MODES),
    notes: fc.array(note, { maxLength: 3 }),
    registry: maybe(text),
    isRestricted: flag,
    isPage: flag,
  }),
);
