import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { summary } from "../testing/session-summary";
import {
  accessibleLabelOf,
  contextValueOf,
  descriptionOf,
  iconOf,
  sessionKey,
  titleOf,
  tooltipOf,
  withoutIcons,
} from "./session-texts";

const NOW = Date.UTC(2026, 7, 20, 12),
  MINUTE = 60_000;
const agentSession = summary("a", { ref: { kind: "agent", agentId: "mine", sessionId: "a" } });

suite("session texts", () => {
  test("names a session without a title", () => {
    equal(titleOf(summary("", { title: " \n" })), "New Chat");
    equal(titleOf(summary("a", { title: "one\ntwo\u202E" })), "one two⟦U+202E⟧");
  });

  test("describes the agent, the age, the cost and the origin", () => {
    const age = (ms: number): string => descriptionOf(summary("a", { changedAt: NOW - ms }), NOW);
    deepEqual(
      [-MINUTE, 0, 3 * MINUTE, 2 * 60 * MINUTE, 5 * 1_440 * MINUTE, 11 * 1_440 * MINUTE].map(age),
      ["now", "now", "3 min", "2 h", "5 d", "Aug 9, 2026"].map(text => `Mine · ${text}`),
    );
    equal(descriptionOf(summary("a"), NOW), "Mine");
    equal(
      descriptionOf(summary("a", { cost: { amount: 1.234, currency: "USD" }, origin: "Old" }), NOW),
      "Mine · $1.23 · from “Old”",
    );
    equal(descriptionOf(summary("a", { cost: { amount: 2, currency: "tokens" } }), NOW), "Mine · 2.00 tokens");
  });

  test("shows the activity as an icon, in the tooltip and to screen readers", () => {
    const activities = ["needsAnswer", "running", "unread", "failed"] as const;
    const icons = activities.map(activity => iconOf(summary("a", { activity })));
    equal(new Set(icons.map(({ id }) => id)).size, activities.length);
    ok(icons.every(({ color }) => color !== undefined));
    for (const [activity, text] of [
      ["needsAnswer", /Waiting for your answer/],
      ["failed", /Failed/],
    ] as const) {
      match(tooltipOf(summary("a", { activity })), text);
      match(accessibleLabelOf(summary("a", { activity }), NOW), text);
    }
    match(
      tooltipOf(summary("a", { changedAt: NOW, isArchived: true })),
      /^a\nAgent: Mine\nFolder: \/w\nLast change: .*2026.*\nArchived$/,
    );
  });

  test("distinguishes sessions that only an agent stores", () => {
    notEqual(iconOf(agentSession).id, iconOf(summary("a")).id);
    notEqual(sessionKey(agentSession.ref), sessionKey(summary("a").ref));
    match(tooltipOf(agentSession), /Stored by the agent only/);
    deepEqual(
      [
        agentSession,
        summary("a"),
        summary("a", { isArchived: true }),
        { ...agentSession, isArchived: true as const },
      ].map(contextValueOf),
      ["session.agent", "session.stored", "session.stored.archived", "session.agent.archived"],
    );
  });

  test("escapes icons in pick lists", () => equal(withoutIcons("$(bug) a"), "\\$(bug) a"));
});
