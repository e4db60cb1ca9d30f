/** Entry point of the settings page. Connects the page model to VS Code, the DOM and the clock; contains no logic. */
import * as l10n from "@vscode/l10n";
import "../translation";
import type { SettingsToHost } from "../../src/protocol/settings/settings-to-host";
import type { HostToSettings } from "../../src/protocol/settings/settings-view";
import { DRAFT_TRANSLATIONS } from "../../src/protocol/text/draft-translations";
import { create } from "../components/dom";
import { pageClock } from "../page-clock";
import { SaveSchedule } from "../state/save-schedule";
import { Reconciler } from "./reconciler";
import { InputController } from "./input-controller";
import { SettingsPage } from "./page";
import { savedFrom, type Saved } from "./saved-state";
import { LiveRegion } from "./screen-reader";
import styles from "./settings.css";
import { texts } from "./settings-texts";
import { surface } from "./surface";

declare function acquireVsCodeApi(): {
  postMessage(message: SettingsToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
};

const vscode = acquireVsCodeApi();
document.head.append(create("style", { text: styles }));
const root = document.querySelector<HTMLElement>("#symposium-settings") ?? document.body;
const speech = new LiveRegion();
root.after(speech.element);
if (DRAFT_TRANSLATIONS.includes(document.documentElement.lang))
  root.after(create("footer", { className: "translation-note", text: texts.draftTranslation }));

const { unfolded, query, scroll } = savedFrom(vscode.getState());
const saving = new SaveSchedule(() => {
  const { unfolded, query } = page.model;
  vscode.setState({ unfolded, query, scroll: Math.round(window.scrollY) } satisfies Saved);
}, pageClock);
const reconciler = new Reconciler<Element>(surface, root);
const page: SettingsPage = new SettingsPage(
  {
    show: pieces => reconciler.show(pieces),
    focus: id => document.getElementById(id)?.focus(),
    scrollTo: id => document.getElementById(id)?.scrollIntoView({ block: "nearest", behavior: "instant" }),
    post: message => vscode.postMessage(message),
    report: text => speech.announceNow(text),
    save: () => saving.now(),
    onStart: () => window.scrollTo({ top: scroll, behavior: "instant" }),
    clock: pageClock,
  },
  unfolded,
  query,
);
new InputController({
  root,
  actAt: element => reconciler.actAt(element),
  reorder: () => page.model.reorder,
  happen: happened => page.happen(happened),
});

// Only the type is checked, because the host and its page are built together.
window.addEventListener("message", ({ data }: MessageEvent<HostToSettings>) => {
  switch (data.type) {
    case "view":
      return page.happen({ kind: "viewed", view: data.view });
    case "reveal":
      return page.happen({ kind: "revealed", of: data.of, id: data.id });
    case "announce":
      return speech.report(data.text);
    default:
      return vscode.postMessage({ type: "log", level: "warn", message: l10n.t("Ignored an unknown message.") });
  }
});
window.addEventListener(
  "scroll",
  () => {
    if (page.model.view) saving.soon();
  },
  { passive: true },
);
window.addEventListener("pagehide", () => saving.flush());
