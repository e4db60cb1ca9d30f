/**
 * State of the page between two views of the host: folds, reordering, and the user's pending changes, which no view
 * contains yet. Pure.
 *
 * Invariants:
 * - The page shows the host's view, overlaid with the user's recent changes.
 * - A change is overlaid for `OVERLAY_MS`, and then until a view contains the change or `REFUSED_MS` have passed.
 *   Otherwise controls would jump back while the host saves the change and sends unrelated views.
 * - The focus moves only on request of the user or on an explicit message of the host.
 * - Extensions are not moved during a search, and a row that the host reveals ends the search if it does not match.
 */
import { defaultOf, isEqual, warningOf, type SettingValue } from "../../src/protocol/agents/extension-settings";
import type { Installable } from "../../src/protocol/agents/agent-service";
import type { SettingsToHost } from "../../src/protocol/settings/settings-to-host";
import type { SettingRow, SettingsView, UpdateMode } from "../../src/protocol/settings/settings-view";
import { controlId, rowId, SEARCH_ID, switched, type SettingRef, type Switch } from "./settings-actions";
import { enteredValue, withoutDraft, type Draft, type Input } from "./setting-input";
import { moved, reorder, still, type Outcome, type Reorder, type ReorderEvent } from "./reorder";
import { searched, searchWords } from "./search";
import { brief } from "./display-text";
import { moveAnnouncementText } from "./settings-texts";

export const OVERLAY_MS = 1_500;
/** Milliseconds after which a change that no view contains counts as rejected. */
export const REFUSED_MS = 15_000;
/** Maximum number of stored folds. The newest are kept. */
export const MAX_UNFOLDED = 100;

type PendingChange =
  | { readonly of: Switch; readonly isOn: boolean }
  | { readonly of: { readonly kind: "mode" }; readonly mode: UpdateMode }
  | { readonly of: { readonly kind: "agent" }; readonly agentId: string }
  /** Without `value`: a reset. */
  | { readonly of: SettingRef & { readonly kind: "setting" }; readonly value: SettingValue | undefined }
  | { readonly of: { readonly kind: "order" }; readonly ids: readonly string[] };

export interface Model {
  readonly view: SettingsView | undefined;
  readonly unfolded: readonly string[];
  /** Text of the search box. */
  readonly query: string;
  readonly reorder: Reorder;
  /** `since` is a time of the page's clock. */
  readonly wishes: readonly (PendingChange & { readonly since: number })[];
  /** Texts in fields that do not fit their setting. */
  readonly drafts: readonly Draft[];
  /** Id of a row that receives the focus as soon as it exists. */
  readonly awaited: string | undefined;
}

export type SettingsEvent =
  | { readonly kind: "viewed"; readonly view: SettingsView }
  | { readonly kind: "revealed"; readonly of: Installable; readonly id: string }
  | { readonly kind: "pressed"; readonly message: SettingsToHost }
  | { readonly kind: "folded"; readonly fold: string }
  | { readonly kind: "switched"; readonly of: Switch; readonly isOn: boolean }
  | { readonly kind: "chose"; readonly mode: UpdateMode }
  | { readonly kind: "searched"; readonly query: string }
  | { readonly kind: "searchCleared" }
  /** The agent of new tabs. */
  | { readonly kind: "selected"; readonly id: string }
  | { readonly kind: "entered"; readonly of: SettingRef; readonly input: Input }
  | { readonly kind: "reset"; readonly of: SettingRef }
  | { readonly kind: "reordered"; readonly event: ReorderEvent }
  /** A change may have expired. */
  | { readonly kind: "woke" };

export type Effect =
  | { readonly kind: "post"; readonly message: SettingsToHost }
  /** Announced immediately, because it is a response to the user's input. */
  | { readonly kind: "announce"; readonly text: string }
  /** Element id; focused after the drawing. */
  | { readonly kind: "focus"; readonly id: string }
  /** Keeps the moved row visible. */
  | { readonly kind: "scroll"; readonly id: string }
  | { readonly kind: "save" }
  | { readonly kind: "wake"; readonly ms: number };

export const emptyModel = (unfolded: readonly string[] = [], query = ""): Model => ({
  view: undefined,
  unfolded,
  query,
  reorder: still,
  wishes: [],
  drafts: [],
  awaited: undefined,
});

/** The view to draw: the host's view with pending changes. The order of the extensions ignores a move in progress. */
export function shownView({ view, wishes }: Model): SettingsView | undefined {
  return view && wishes.reduce(withChange, view);
}

export function step(model: Model, happened: SettingsEvent, now: number): readonly [Model, readonly Effect[]] {
  switch (happened.kind) {
    case "viewed":
      return viewed(withoutExpired({ ...model, view: happened.view }, now));
    case "revealed":
      return awaiting({ ...model, awaited: rowId(happened.of, happened.id) });
    case "pressed":
      return [model, [{ kind: "post", message: happened.message }]];
    case "folded":
      return [{ ...model, unfolded: toggled(model.unfolded, happened.fold) }, [{ kind: "save" }]];
    case "searched":
      return [withoutMove({ ...model, query: happened.query }), [{ kind: "save" }]];
    case "searchCleared":
      return [{ ...model, query: "" }, [{ kind: "save" }, { kind: "focus", id: SEARCH_ID }]];
    case "switched":
      return requestChange(model, { of: happened.of, isOn: happened.isOn }, switched(happened.of, happened.isOn), now);
    case "chose":
      return requestChange(
        model,
        { of: { kind: "mode" }, mode: happened.mode },
        { type: "updates", mode: happened.mode },
        now,
      );
    case "selected":
      return requestChange(
        model,
        { of: { kind: "agent" }, agentId: happened.id },
        { type: "row", of: "agent", id: happened.id, action: "choose" },
        now,
      );
    case "entered":
      return entered(model, happened.of, happened.input, now);
    case "reset":
      return withFocus(requestSetting(model, happened.of, undefined, now), controlId(happened.of));
    case "reordered":
      return reordered(model, happened.event, now);
    case "woke":
      return scheduleWake(withoutExpired(model, now), now);
  }
}

function viewed(model: Model): readonly [Model, readonly Effect[]] {
  const held = reorder(withoutMove(model).reorder, idsOf(model), { kind: "listed" }).next;
  const [after, effects] = awaiting({ ...model, reorder: held });
  return [after, held.kind === "grabbed" ? [...effects, { kind: "scroll", id: rowId("extension", held.id) }] : effects];
}

function awaiting(model: Model): readonly [Model, readonly Effect[]] {
  const { view, awaited } = model;
  if (view === undefined || awaited === undefined || !hasRow(view, awaited)) return [model, []];
  const found: Model = { ...model, awaited: undefined },
    focus: Effect = { kind: "focus", id: awaited };
  return hasRow(searched(view, searchWords(view, model.query)), awaited)
    ? [found, [focus]]
    : [{ ...found, query: "" }, [{ kind: "save" }, focus]];
}

const hasRow = ({ agents, extensions }: SettingsView, element: string): boolean =>
  agents.some(({ id }) => rowId("agent", id) === element) ||
  extensions.some(({ id }) => rowId("extension", id) === element);

const isSearching = ({ view, query }: Model): boolean => view !== undefined && searchWords(view, query).length > 0;

/** Ends a move during a search, because positions among some of the rows are ambiguous. */
const withoutMove = (model: Model): Model => (isSearching(model) ? { ...model, reorder: still } : model);

/** Extension ids in the displayed order, ignoring a move in progress. */
export const idsOf = (model: Model): readonly string[] => shownView(model)?.extensions.map(({ id }) => id) ?? [];

function reordered(model: Model, event: ReorderEvent, now: number): readonly [Model, readonly Effect[]] {
  if (isSearching(model)) return [model, []];
  const { next, move, announcement }: Outcome = reorder(model.reorder, idsOf(model), event);
  const name = announcement && model.view?.extensions.find(({ id }) => id === announcement.id)?.name;
  const effects: readonly Effect[] =
    announcement && name !== undefined
      ? [
          { kind: "scroll", id: rowId("extension", announcement.id) },
          { kind: "announce", text: moveAnnouncementText(brief(name), announcement) },
        ]
      : [];
  const held = { ...model, reorder: next };
  if (!move) return [held, effects];
  const [after, notifications] = requestChange(
    held,
    { of: { kind: "order" }, ids: moved(idsOf(model), move.id, move.to) },
    { type: "move", ...move },
    now,
  );
  return [after, [...notifications, ...effects]];
}

// --- settings of extensions

/** The host confirms an option with a warning, so the page shows it only when it is stored. */
function entered(model: Model, of: SettingRef, input: Input, now: number): readonly [Model, readonly Effect[]] {
  const row = settingOf(model, of);
  if (!row) return [model, []];
  const value = enteredValue(row, input);
  if (value === undefined)
    return [{ ...model, drafts: [...withoutDraft(model.drafts, of), { of, text: input.text ?? "" }] }, []];
  const isConfirmed = warningOf(row.control, value) !== undefined;
  return isConfirmed
    ? [model, [{ kind: "post", message: { type: "setting", ...of, value } }]]
    : requestSetting(model, of, value, now);
}

function requestSetting(
  model: Model,
  of: SettingRef,
  value: SettingValue | undefined,
  now: number,
): readonly [Model, readonly Effect[]] {
  return requestChange(
    { ...model, drafts: withoutDraft(model.drafts, of) },
    { of: { kind: "setting", ...of }, value },
    { type: "setting", ...of, ...(value === undefined ? {} : { value }) },
    now,
  );
}

function withFocus([model, effects]: readonly [Model, readonly Effect[]], id: string) {
  return [model, [...effects, { kind: "focus", id }]] as const;
}

function settingOf(model: Model, { id, name }: SettingRef): SettingRow | undefined {
  const row = shownView(model)?.extensions.find(each => each.id === id);
  return row?.settings?.rows.find(each => each.name === name);
}

function withSetting(row: SettingRow, value: SettingValue | undefined): SettingRow {
  const { problem: _, ...setting } = row,
    byDefault = defaultOf(row.control);
  return { ...setting, value: value ?? byDefault, isChanged: value !== undefined && !isEqual(value, byDefault) };
}

// --- pending changes

function requestChange(
  model: Model,
  wish: PendingChange,
  message: SettingsToHost,
  now: number,
): readonly [Model, readonly Effect[]] {
  const wishes = [...model.wishes.filter(({ of }) => !isSame(of, wish.of)), { ...wish, since: now }];
  return [
    { ...model, wishes },
    [
      { kind: "post", message },
      { kind: "wake", ms: OVERLAY_MS },
    ],
  ];
}

/** Schedules the next expiry of a change, also after a timer that fired early. */
function scheduleWake(model: Model, now: number): readonly [Model, readonly Effect[]] {
  const { wishes } = model;
  return [
    model,
    wishes.length === 0
      ? []
      : [
          {
            kind: "wake",
            ms: Math.max(
              1,
              Math.ceil(
                Math.min(...wishes.map(({ since }) => since + (now < since + OVERLAY_MS ? OVERLAY_MS : REFUSED_MS))) -
                  now,
              ),
            ),
          },
        ],
  ];
}

const isSame = (a: PendingChange["of"], b: PendingChange["of"]): boolean => isEqual(a, b);

function withoutExpired(model: Model, now: number): Model {
  const { view } = model,
    wishes = model.wishes.filter(
      wish =>
        now < wish.since + OVERLAY_MS || (now < wish.since + REFUSED_MS && view !== undefined && !has(view, wish)),
    );
  return wishes.length === model.wishes.length ? model : { ...model, wishes };
}

const has = (view: SettingsView, wish: PendingChange): boolean =>
  JSON.stringify(withChange(view, wish)) === JSON.stringify(view);

function withChange(view: SettingsView, wish: PendingChange): SettingsView {
  if ("ids" in wish) return { ...view, extensions: inOrder(view.extensions, wish.ids) };
  if ("mode" in wish) return { ...view, updates: wish.mode };
  if ("agentId" in wish) return withSelected(view, wish.agentId);
  if ("value" in wish) return withSettingOf(view, wish.of, wish.value);
  const { of, isOn } = wish;
  switch (of.kind) {
    case "modifier":
      return { ...view, requireModifier: isOn };
    case "bypass":
      return {
        ...view,
        agents: view.agents.map(row => (row.id === of.id && row.bypass !== undefined ? { ...row, bypass: isOn } : row)),
      };
    case "enable":
      return {
        ...view,
        extensions: view.extensions.map(row => (row.id === of.id ? { ...row, isEnabled: isOn } : row)),
      };
  }
}

function withSelected(view: SettingsView, agentId: string): SettingsView {
  return view.agents.some(({ id }) => id === agentId)
    ? { ...view, agents: view.agents.map(row => ({ ...row, isCurrent: row.id === agentId })) }
    : view;
}

function withSettingOf(view: SettingsView, { id, name }: SettingRef, value: SettingValue | undefined): SettingsView {
  return {
    ...view,
    extensions: view.extensions.map(row =>
      row.id === id && row.settings
        ? {
            ...row,
            settings: {
              ...row.settings,
              rows: row.settings.rows.map(each => (each.name === name ? withSetting(each, value) : each)),
            },
          }
        : row,
    ),
  };
}

/** Sorts `rows` by `ids`. Returns `rows` unchanged if rows were added or removed meanwhile. */
export function inOrder<R extends { readonly id: string }>(rows: readonly R[], ids: readonly string[]): readonly R[] {
  const sorted = ids.flatMap(id => rows.filter(row => row.id === id));
  return ids.length === rows.length && sorted.length === rows.length && new Set(ids).size === ids.length
    ? sorted
    : rows;
}

// --- folds

function toggled(unfolded: readonly string[], fold: string): readonly string[] {
  return unfolded.includes(fold) ? unfolded.filter(each => each !== fold) : [...unfolded, fold].slice(-MAX_UNFOLDED);
}
