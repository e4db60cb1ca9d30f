import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { readAgent } from "../component-argument";
import { readConfig } from "./config";
import { commandLineOf, configurationOf, KNOWN_AGENTS } from "./known-agents";
import {
  ASKING,
  QUESTION,
  step,
  type SaveOutcome,
  type WizardEffect,
  type WizardEvent,
  type WizardState,
} from "./wizard";

const FILE = "/home/ada/.symposium/config.jsonc";
const OUTCOMES: readonly SaveOutcome[] = [
  { kind: "created", file: FILE },
  { kind: "exists", file: FILE },
  { kind: "failed", why: `${FILE} could not be created: its disk is full.` },
];

/** All states and effects of the events. */
function run(...events: readonly WizardEvent[]): { readonly state: WizardState; readonly effects: WizardEffect[] } {
  let state = ASKING;
  const effects: WizardEffect[] = [];
  for (const event of events) {
    const [next, done] = step(state, event);
    state = next;
    effects.push(...done);
  }
  return { state, effects };
}
const kinds = (effects: readonly WizardEffect[]): string => effects.map(({ kind }) => kind).join(" ");
const textOf = (effects: readonly WizardEffect[]): string =>
  effects.map(effect => (effect.kind === "send" ? effect.text : "")).join("");
const prompt = (text: string): WizardEvent => ({ kind: "prompted", text });

suite("configuration wizard", () => {
  test("asks with the documented text", () => {
    equal(
      QUESTION,
      `Welcome to Symposium!

No configuration found. Let's set up your AI agent.

Which agent would you like to use?

  1. Claude Code
  2. Gemini CLI
  3. Codex
  4. Kiro CLI

Type a number (1-4) to select:`,
    );
    deepEqual(run({ kind: "opened" }), { state: ASKING, effects: [{ kind: "send", text: `${QUESTION}\n\n` }] });
  });

  test("offers today's packages", () =>
    deepEqual(
      KNOWN_AGENTS.map(agent => commandLineOf(agent)),
      [
        "npx -y @agentclientprotocol/claude-agent-acp",
        "npx -y @google/gemini-cli --acp",
        "npx -y @agentclientprotocol/codex-acp",
        "kiro-cli-chat acp",
      ],
    ));

  for (const [i, agent] of KNOWN_AGENTS.entries())
    test(`saves a configuration that is read as ${agent.name} with the default proxies`, async () => {
      const [state, effects] = step(ASKING, prompt(` ${i + 1}.\n`));
      deepEqual([state.kind, effects], ["saving", [{ kind: "save", text: configurationOf(agent) }]]);
      const read = await readConfig(configurationOf(agent), "linux");
      ok(read.kind === "config");
      deepEqual(
        [read.config.agent, read.config.proxies.map(({ name }) => name), read.config.ignored],
        [await readAgent(commandLineOf(agent), "linux"), ["Sparkle", "Ferris", "Cargo"], []],
      );
    });

  test("repeats the question after an invalid answer", () => {
    for (const text of ["", "hello", "0", "5", "-1", "1.5", "1 2", "１", "Claude Code", "99999999999999999999"])
      deepEqual(
        step(ASKING, prompt(text)),
        [
          ASKING,
          [
            { kind: "send", text: QUESTION },
            { kind: "endTurn", stopReason: "end_turn" },
          ],
        ],
        text,
      );
  });

  test("starts the agent after the file is saved", () => {
    const { state, effects } = run(
      prompt("3"),
      { kind: "saved", outcome: { kind: "created", file: FILE } },
      { kind: "started", problem: undefined },
    );
    deepEqual([state.kind, kinds(effects)], ["finished", "save send start send endTurn"]);
    match(
      textOf(effects),
      /^You selected Codex\. .* saved in \/home.*\n\nRestart your editor [^]*\nCodex has started\. Open /,
    );
  });

  test("reports an agent that cannot be started", () => {
    const { effects } = run(
      prompt("3"),
      { kind: "saved", outcome: { kind: "created", file: FILE } },
      { kind: "started", problem: "“npx” was not found." },
    );
    match(
      textOf(effects),
      /Codex could not be started: “npx” was not found\.\n\nCorrect this, then open a new session/,
    );
    ok(textOf(effects).endsWith(`To choose another agent, delete ${FILE} first.`));
  });

  test("uses the file of another window", () => {
    const { effects } = run(
      prompt("1"),
      { kind: "saved", outcome: { kind: "exists", file: FILE } },
      { kind: "started", problem: undefined },
    );
    equal(kinds(effects), "save send start send endTurn");
    match(textOf(effects), /^Another window has created .* has not changed it\.[^]*The agent has started\./);
  });

  test("asks again if the file cannot be saved", () => {
    const { state, effects } = run(prompt("2"), {
      kind: "saved",
      outcome: { kind: "failed", why: `${FILE} cannot be created: its disk is full.` },
    });
    deepEqual([state, kinds(effects)], [ASKING, "save send endTurn"]);
    match(textOf(effects), /disk is full\. Nothing is saved\.[^]*type the number again\.[^]*--agent 'npx -y @google/);
  });

  test("ends a cancelled turn without a start, or before the start has ended", () => {
    const outcome: SaveOutcome = { kind: "created", file: FILE };
    const early = run(prompt("2"), { kind: "cancelled" }, { kind: "saved", outcome });
    deepEqual([early.state.kind, kinds(early.effects)], ["finished", "save send endTurn"]);
    const late = run(
      prompt("2"),
      { kind: "saved", outcome },
      { kind: "cancelled" },
      { kind: "started", problem: undefined },
    );
    deepEqual([late.state.kind, kinds(late.effects)], ["finished", "save send start endTurn"]);
    for (const { effects } of [early, late]) deepEqual(effects.at(-1), { kind: "endTurn", stopReason: "cancelled" });
  });

  test("asks for a new session after the selection", () => {
    const { effects } = run(
      prompt("4"),
      { kind: "saved", outcome: { kind: "created", file: FILE } },
      { kind: "started", problem: undefined },
      prompt("Write a test."),
    );
    deepEqual(effects.slice(-2), [
      { kind: "send", text: "Open a new session to use the agent." },
      { kind: "endTurn", stopReason: "end_turn" },
    ]);
  });

  test("answers every prompt once, and starts only an agent whose file exists", () => {
    /** Possible events of the client and the adapter in a state. */
    const events = (state: WizardState): fc.Arbitrary<WizardEvent> => {
      const cancelled = fc.constant<WizardEvent>({ kind: "cancelled" });
      if (state.kind === "saving")
        return fc.oneof(
          cancelled,
          fc.constantFrom(...OUTCOMES).map(outcome => ({ kind: "saved", outcome }) as const),
        );
      if (state.kind === "starting")
        return fc.oneof(
          cancelled,
          fc.constantFrom(undefined, "“npx” was not found.").map(problem => ({ kind: "started", problem }) as const),
        );
      const text = fc.oneof(fc.constantFrom("1", "2.", " 3", "4", "5", ""), fc.string({ unit: "binary" }));
      return fc.oneof(cancelled, fc.constant<WizardEvent>({ kind: "opened" }), text.map(prompt));
    };
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), fc.nat(30), (seeds, length) => {
        let state = ASKING,
          open = 0,
          exists = false;
        for (const seed of seeds) {
          if (length-- <= 0) break;
          const [event] = fc.sample(events(state), { numRuns: 1, seed });
          if (!event || (event.kind === "opened" && state.kind !== "asking")) continue;
          if (event.kind === "prompted") open++;
          if (event.kind === "saved") exists ||= event.outcome.kind !== "failed";
          const [next, effects] = step(state, event);
          for (const [i, effect] of effects.entries()) {
            ok(effect.kind !== "unexpected", `${event.kind} while ${state.kind}`);
            if (effect.kind === "save")
              ok(state.kind === "asking" && KNOWN_AGENTS.some(agent => configurationOf(agent) === effect.text));
            if (effect.kind === "start") ok(exists);
            if (effect.kind === "endTurn") deepEqual([--open, i], [0, effects.length - 1]);
          }
          equal(open, next.kind === "saving" || next.kind === "starting" ? 1 : 0);
          state = next;
        }
      }),
    );
  });

  test("reports an event that the state does not expect, and keeps the state", () => {
    const saving: WizardState = { kind: "saving", agent: KNOWN_AGENTS[0]!, stopReason: "end_turn" };
    for (const [state, event] of [
      [ASKING, { kind: "saved", outcome: OUTCOMES[0]! }],
      [saving, prompt("1")],
      [{ kind: "starting", agent: "Codex", file: "config.jsonc" }, { kind: "opened" }],
      [{ kind: "finished" }, { kind: "saved", outcome: OUTCOMES[0]! }],
    ] as const)
      deepEqual(step(state, event), [state, [{ kind: "unexpected", event: event.kind }]]);
  });
});
