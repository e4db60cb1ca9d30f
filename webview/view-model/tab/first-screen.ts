/** Content of an empty tab: agents to choose from, suggested prompts and enabled extensions. Pure. */
import * as l10n from "@vscode/l10n";
import { ELIZA, type AgentChoice } from "../../../src/protocol/agents/agents";
import type { ActiveFile, AgentOffer, FirstScreen, OfferedExtension } from "../../../src/protocol/page/first-screen";
import { enumerated } from "../../../src/protocol/text/phrases";
import { readableLine, visibleLine } from "../../../src/protocol/text/visible-text";
import { fixProblems } from "../text/plural-texts";

/** `icon`: a `data:` URI from an untrusted source. `letter`: the first one of the name, shown without an icon. */
export interface PictureView {
  readonly letter: string;
  readonly icon?: string;
}

/** All strings are plain text. */
export interface OfferView {
  readonly id: string;
  readonly name: string;
  readonly picture: PictureView;
  readonly about: string;
  readonly tooltip: string;
  /** The tab has this agent. */
  readonly isChosen: boolean;
  readonly isInstalling: boolean;
}

export interface FirstScreenView {
  readonly agents: readonly OfferView[];
  /** Whether the tab has the built-in agent, which is not among `agents`. */
  readonly isDemo: boolean;
  /** Prompts, which are also their labels. */
  readonly suggestions: readonly string[];
  /** Enabled extensions; `undefined` if there are none. */
  readonly extensions: { readonly text: string; readonly tooltip: string; readonly ids: readonly string[] } | undefined;
}

/** `screen`: `undefined` until the host has sent it. `agent`: that of the tab. */
export function firstScreenView(screen: FirstScreen | undefined, agent: AgentChoice): FirstScreenView {
  const isDemo = agent.id === ELIZA.id;
  if (screen === undefined) return { agents: [], isDemo, suggestions: [], extensions: undefined };
  return {
    agents: screen.agents.map(offer => offerView(offer, agent.id)),
    isDemo,
    suggestions: screen.hasFolder ? suggestionsFor(screen.activeFile) : [],
    extensions: extensionsLine(screen.extensions),
  };
}

function offerView({ id, name, about, origin, icon, isInstalling }: AgentOffer, chosenId: string): OfferView {
  const shownName = visibleLine(name),
    shownAbout = readableLine(about);
  return {
    id,
    name: shownName,
    picture: pictureOf(shownName, icon),
    about: shownAbout,
    tooltip: [shownName, shownAbout, readableLine(origin)].filter(text => text !== "").join("\n"),
    isChosen: id === chosenId,
    isInstalling: isInstalling === true,
  };
}

function pictureOf(name: string, icon: string | undefined): PictureView {
  return {
    letter: (name.match(/\p{L}|\p{N}/u)?.[0] ?? "?").toUpperCase(),
    ...(icon === undefined ? {} : { icon }),
  };
}

/** The picture of a tab's agent. Its icon is known if the first screen offers the agent. */
export function agentPicture(screen: FirstScreen | undefined, { id, name }: AgentChoice): PictureView {
  return pictureOf(visibleLine(name), screen?.agents.find(offer => offer.id === id)?.icon);
}

function suggestionsFor(file: ActiveFile | undefined): readonly string[] {
  if (file === undefined) return [l10n.t("Explain this project")];
  const path = visibleLine(file.path);
  return [
    l10n.t("Explain this project"),
    ...(file.problems > 0 ? [fixProblems(file.problems, path)] : []),
    l10n.t`Write a test for ${path}`,
  ];
}

function extensionsLine(extensions: readonly OfferedExtension[]): FirstScreenView["extensions"] {
  if (extensions.length === 0) return undefined;
  const names = extensions.map(({ name }) => visibleLine(name));
  return {
    text: l10n.t`On: ${names.join(", ")}`,
    tooltip: l10n.t`Disable ${enumerated(names)} for new sessions`,
    ids: extensions.map(({ id }) => id),
  };
}
