/**
 * One session of the configuration agent: the user selects an agent by its number. Pure; `configuration-agent.ts` runs
 * the effects.
 *
 *   asking ── a number ──▶ saving ── the file exists ──▶ starting ── started, failed, cancelled ──▶ finished
 *     ▲                      │ └─── cancelled before ───────────────────────────────────────────────▶┘
 *     └─ not saved ──────────┘
 *
 * Invariants:
 * - Every prompt has one `endTurn`, after its last `send`.
 * - A prompt without a valid number repeats the question and saves nothing.
 * - At most one `save` is open.
 */
import { commandLineOf, configurationOf, KNOWN_AGENTS, type KnownAgent } from "./known-agents";

export type WizardState =
  | { readonly kind: "asking" }
  | { readonly kind: "saving"; readonly agent: KnownAgent; readonly stopReason: StopReason }
  | { readonly kind: "starting"; readonly agent: string; readonly file: string }
  | { readonly kind: "finished" };
export type StopReason = "end_turn" | "cancelled";

export type WizardEvent =
  | { readonly kind: "opened" }
  /** The previous prompt of the session is answered. */
  | { readonly kind: "prompted"; readonly text: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "saved"; readonly outcome: SaveOutcome }
  /** `problem`: a sentence, if the agent cannot be started. */
  | { readonly kind: "started"; readonly problem: string | undefined };

export type SaveOutcome =
  | { readonly kind: "created"; readonly file: string }
  /** Another program has created the file meanwhile. It is unchanged. */
  | { readonly kind: "exists"; readonly file: string }
  /** `why`: a sentence that names the file. */
  | { readonly kind: "failed"; readonly why: string };

export type WizardEffect =
  | { readonly kind: "send"; readonly text: string }
  /** Creates the file with this text. Ends in `saved`. */
  | { readonly kind: "save"; readonly text: string }
  /** Starts the agent of the file. Ends in `started`. */
  | { readonly kind: "start" }
  | { readonly kind: "endTurn"; readonly stopReason: StopReason }
  /** A bug of the caller. */
  | { readonly kind: "unexpected"; readonly event: WizardEvent["kind"] };

export const ASKING: WizardState = { kind: "asking" };
const FINISHED: WizardState = { kind: "finished" };

/** The documented text. */
export const QUESTION = `Welcome to Symposium!

No configuration found. Let's set up your AI agent.

Which agent would you like to use?

${KNOWN_AGENTS.map(({ name }, i) => `  ${i + 1}. ${name}`).join("\n")}

Type a number (1-${KNOWN_AGENTS.length}) to select:`;

type Step = readonly [WizardState, readonly WizardEffect[]];

export function step(state: WizardState, event: WizardEvent): Step {
  switch (state.kind) {
    case "asking":
      // The empty line separates the question from the first answer in clients that join messages.
      if (event.kind === "opened") return [state, [send(`${QUESTION}\n\n`)]];
      if (event.kind === "prompted") return prompted(event.text);
      return event.kind === "cancelled" ? [state, []] : unexpected(state, event);
    case "saving":
      if (event.kind === "cancelled") return [{ ...state, stopReason: "cancelled" }, []];
      return event.kind === "saved" ? saved(state, event.outcome) : unexpected(state, event);
    case "starting":
      if (event.kind === "cancelled") return [FINISHED, [endTurn("cancelled")]];
      return event.kind === "started"
        ? [FINISHED, [send(startText(state, event.problem)), endTurn()]]
        : unexpected(state, event);
    case "finished":
      if (event.kind === "prompted") return [state, [send(NEW_SESSION), endTurn()]];
      // The turn was cancelled before the agent had started.
      return event.kind === "cancelled" || event.kind === "started" ? [state, []] : unexpected(state, event);
  }
}

function prompted(text: string): Step {
  const number = /^\s*(\d+)\.?\s*$/.exec(text)?.[1],
    agent = number === undefined ? undefined : KNOWN_AGENTS[Number(number) - 1];
  if (!agent) return [ASKING, [send(QUESTION), endTurn()]];
  return [{ kind: "saving", agent, stopReason: "end_turn" }, [{ kind: "save", text: configurationOf(agent) }]];
}

function saved({ agent, stopReason }: Extract<WizardState, { kind: "saving" }>, outcome: SaveOutcome): Step {
  if (outcome.kind === "failed") return [ASKING, [send(failureText(agent, outcome.why)), endTurn(stopReason)]];
  const [name, text] =
    outcome.kind === "created"
      ? [agent.name, savedText(agent.name, outcome.file)]
      : ["The agent", existsText(outcome.file)];
  return stopReason === "cancelled"
    ? [FINISHED, [send(text), endTurn(stopReason)]]
    : [{ kind: "starting", agent: name, file: outcome.file }, [send(text), { kind: "start" }]];
}

function unexpected(state: WizardState, { kind }: WizardEvent): Step {
  return [state, [{ kind: "unexpected", event: kind }]];
}

function send(text: string): WizardEffect {
  return { kind: "send", text };
}

function endTurn(stopReason: StopReason = "end_turn"): WizardEffect {
  return { kind: "endTurn", stopReason };
}

const RESTART = "Restart your editor to start using it.";

function savedText(agent: string, file: string): string {
  return `You selected ${agent}. The configuration is saved in ${file}.

${RESTART} Without a restart, new sessions use it as soon as it has started. A first start can take some minutes.

`;
}

function existsText(file: string): string {
  return `Another window has created ${file} meanwhile. Symposium uses that file and has not changed it.

${RESTART} Without a restart, new sessions use it as soon as it has started. A first start can take some minutes.

`;
}

function startText({ agent, file }: Extract<WizardState, { kind: "starting" }>, problem: string | undefined): string {
  return problem === undefined
    ? `${agent} has started. ${NEW_SESSION} Images, stored sessions and sign-in need the restart.`
    : `${agent} could not be started: ${problem}

Correct this, then open a new session or restart your editor. To choose another agent, delete ${file} first.`;
}

function failureText(agent: KnownAgent, why: string): string {
  return `${why} Nothing is saved.

Correct this, then type the number again. To use ${agent.name} without the file, configure your editor to run:

symposium-acp-agent run-with --proxy defaults --agent '${commandLineOf(agent)}'`;
}

const NEW_SESSION = "Open a new session to use the agent.";
