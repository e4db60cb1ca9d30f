/** Renders the whole page from a view and the page's own state. Pure. */
import type { SettingsToHost } from "../../src/protocol/settings/settings-to-host";
import {
  UPDATE_MODES,
  type Note,
  type SettingsView,
  type Tone,
  type UpdateMode,
} from "../../src/protocol/settings/settings-view";
import { inOrder, shownView, type Model } from "./model";
import { piece, textPiece, type Piece } from "./element-tree";
import { button, sign, type Around } from "./render-parts";
import { movementOf } from "./render-move";
import { agentRow, extensionRow, recommendationRow } from "./render-row";
import { searchBox } from "./render-search";
import { shown, type Reorder } from "./reorder";
import { searched, searchWords } from "./search";
import { line, prose } from "./display-text";
import { gripText, hiddenRecommendations, showDismissed, texts } from "./settings-texts";

export function render(model: Model): readonly Piece[] {
  const view = shownView(model);
  if (!view)
    return [
      piece(
        "main",
        "page",
        { key: "page" },
        title(),
        textPiece("p", "about loading", texts.loading, { key: "loading" }),
      ),
    ];
  const words = searchWords(view, model.query),
    found = searched(view, words),
    isSearching = words.length > 0;
  const around: Around = {
    unfolded: model.unfolded,
    drafts: model.drafts,
    isRestricted: view.isRestricted,
    isSearching,
  };
  const isShown = (rows: readonly unknown[] = []): boolean => !isSearching || rows.length > 0;
  return [
    piece(
      "main",
      "page",
      { key: "page", attributes: { "data-page": view.isPage ? "" : undefined } },
      title(),
      searchBox(view, found, model.query),
      notes(view.notes),
      isShown(found.agents) ? agents(found, around) : undefined,
      isShown(found.extensions) ? extensions(found, around, model.reorder) : undefined,
      isShown(found.recommendations?.rows) ? recommendations(found, around) : undefined,
      ...(isSearching ? [] : [sending(view), updates(view), links(view)]),
    ),
  ];
}

const title = (): Piece => textPiece("h1", "title", texts.heading, { key: "title" });

/** `about`: a line below the heading. */
function section(
  name: string,
  heading: string,
  about: string | undefined,
  ...children: readonly (Piece | undefined)[]
): Piece {
  const id = `section-${name}`;
  return piece(
    "section",
    `section ${name}`,
    { key: name, isPlace: true, attributes: { "aria-labelledby": id } },
    textPiece("h2", "", heading, { attributes: { id } }),
    ...(about === undefined ? [] : [textPiece("p", "about", about, { key: "about" })]),
    ...children,
  );
}

const sendButton = (
  key: string,
  label: string,
  message: SettingsToHost,
  extra: { readonly isOff?: boolean; readonly weight?: "main" | "plain" | "link" } = {},
): Piece => button({ key, label, action: { kind: "send", message }, ...extra });

function notes(all: readonly Note[]): Piece | undefined {
  if (all.length === 0) return undefined;
  return piece(
    "section",
    "notes",
    { key: "notes", isPlace: true, attributes: { "aria-label": texts.notes } },
    ...all.map(({ tone, sentence, button: way }, i) =>
      notice(
        `note ${i}`,
        tone,
        sentence,
        way && piece("div", "buttons", {}, sendButton("way", way.label, { type: "note", action: way.action })),
      ),
    ),
  );
}

function notice(key: string, tone: Tone, sentence: string, buttons?: Piece): Piece {
  return piece(
    "div",
    "finding note",
    { key, attributes: { "data-tone": tone } },
    sign(tone),
    piece(
      "div",
      "finding-body",
      {},
      textPiece("p", "sentence", prose(sentence), { attributes: { dir: "auto" } }),
      buttons,
    ),
  );
}

function agents({ agents: rows, registry, isRestricted }: SettingsView, around: Around): Piece {
  return section(
    "agents",
    texts.agents,
    texts.agentsAbout,
    piece("ul", "rows", { key: "rows", attributes: { role: "list" } }, ...rows.map(row => agentRow(row, around))),
    piece(
      "div",
      "buttons adding",
      { key: "adding" },
      sendButton("agent", texts.addAgent, { type: "add", what: "agent" }, { isOff: isRestricted }),
      sendButton("registryAgent", texts.fromRegistry, { type: "add", what: "registryAgent" }, { isOff: isRestricted }),
      sendButton("check", texts.checkUpdates, { type: "checkUpdates" }, { isOff: isRestricted }),
    ),
    ...(registry === undefined ? [] : [textPiece("p", "origin registry", prose(registry), { key: "registry" })]),
  );
}

function extensions(view: SettingsView, around: Around, state: Reorder): Piece {
  const rows = view.extensions,
    ids = rows.map(({ id }) => id);
  const inPlace = inOrder(rows, shown(state, ids));
  return section(
    "extensions",
    texts.extensions,
    rows.length === 0 ? texts.noExtensions : texts.extensionsAbout,
    ...(rows.length === 0
      ? []
      : [
          piece(
            "ul",
            "rows",
            { key: "rows", attributes: { role: "list" } },
            ...inPlace.map(row => extensionRow(row, around, movementOf(row.id, ids, state))),
          ),
          textPiece("p", "unseen", gripText(around.isSearching), { key: "grips", attributes: { id: "grip-about" } }),
        ]),
    piece(
      "div",
      "buttons adding",
      { key: "adding" },
      sendButton("extension", texts.addExtension, { type: "add", what: "extension" }, { isOff: view.isRestricted }),
    ),
  );
}

function recommendations({ recommendations: shown }: SettingsView, around: Around): Piece | undefined {
  if (!shown) return undefined;
  const { rows, hidden, problems, dismissed } = shown;
  return section(
    "recommendations",
    texts.recommendations,
    texts.recommendationsAbout,
    ...problems.map((sentence, i) => notice(`problem ${i}`, "warning", sentence)),
    ...(rows.length === 0
      ? []
      : [
          piece(
            "ul",
            "rows",
            { key: "rows", attributes: { role: "list" } },
            ...rows.map(row => recommendationRow(row, around)),
          ),
        ]),
    ...(hidden === 0 ? [] : [textPiece("p", "about below", hiddenRecommendations(hidden), { key: "hidden" })]),
    ...(dismissed === 0
      ? []
      : [
          piece(
            "div",
            "buttons adding",
            { key: "dismissed" },
            sendButton("dismissed", showDismissed(dismissed), { type: "showDismissed" }, { weight: "link" }),
          ),
        ]),
  );
}

function sending({ requireModifier }: SettingsView): Piece {
  return section(
    "sending",
    texts.sending,
    undefined,
    piece(
      "label",
      "option",
      { key: "modifier" },
      {
        tag: "input",
        isChecked: requireModifier,
        action: { kind: "switch", of: { kind: "modifier" } },
        attributes: { type: "checkbox", "aria-describedby": "modifier-about" },
      },
      textPiece("span", "", texts.modifier),
    ),
    textPiece("p", "about below", texts.modifierAbout, { key: "modifier-about", attributes: { id: "modifier-about" } }),
  );
}

function updates({ updates: chosen }: SettingsView): Piece {
  return section(
    "updates",
    texts.updates,
    texts.updatesAbout,
    piece(
      "div",
      "options",
      { key: "modes", attributes: { role: "radiogroup", "aria-labelledby": "section-updates" } },
      ...UPDATE_MODES.map(mode => option(mode, chosen)),
    ),
  );
}

function option(mode: UpdateMode, chosen: UpdateMode): Piece {
  const [label, about] = texts.modes[mode];
  return piece(
    "label",
    "option",
    { key: mode },
    {
      tag: "input",
      isChecked: mode === chosen,
      action: { kind: "mode", mode },
      attributes: {
        type: "radio",
        name: "updates",
        value: mode,
        "aria-label": label,
        "aria-describedby": `updates-${mode}`,
      },
    },
    piece(
      "span",
      "",
      {},
      textPiece("span", "", line(label)),
      textPiece("span", "about under", about, { attributes: { id: `updates-${mode}` } }),
    ),
  );
}

function links({ isPage }: SettingsView): Piece {
  const link = (what: "settings" | "page" | "walkthrough" | "logs", label: string) =>
    sendButton(what, label, { type: "open", what }, { weight: "link" });
  return section(
    "links",
    texts.links,
    undefined,
    piece(
      "div",
      "links-row",
      { key: "links" },
      link("settings", texts.allSettings),
      ...(isPage ? [] : [link("page", texts.openAsPage)]),
      link("walkthrough", texts.walkthrough),
      link("logs", texts.logs),
    ),
  );
}
