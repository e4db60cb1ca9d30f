import { deepEqual, equal } from "node:assert/strict";
import type { ToolDelivery } from "../../../src/protocol/chat/session-details";
import { adviceFor, missingToolsSentence } from "./missing-tools";

const delivery = (overrides: Partial<ToolDelivery> = {}): ToolDelivery => ({
  server: "s",
  transport: "http",
  stage: "offered",
  connections: 0,
  listed: 0,
  calls: 0,
  ...overrides,
});
const named = (name: string, overrides: Partial<ToolDelivery> = {}) => ({
  name,
  delivery: delivery({ server: name.toLowerCase(), ...overrides }),
});
const EFFECT = "Its model does not have these tools.";

suite("missing tools sentence", () => {
  test("names the extensions with missing tools, the cause and the effect", () => {
    deepEqual(
      [
        missingToolsSentence({
          agent: "Auggie",
          missing: [named("Sparkle", { offered: 9 }), named("Ferris", { offered: 2 }), named("Cargo", { offered: 9 })],
          all: 3,
          retry: "inVain",
        }),
        missingToolsSentence({ agent: "Codex", missing: [named("Sparkle")], all: 2 }),
        missingToolsSentence({
          agent: "Claude",
          missing: [named("Sparkle", { stage: "connected", connections: 1, offered: 9 })],
          all: 1,
        }),
        missingToolsSentence({ agent: "Auggie", missing: [named("Sparkle", { offered: 9 })], all: 1 }),
      ],
      [
        `Auggie did not request the tools of Sparkle, Ferris and Cargo (0 of 20): it did not connect to any of these MCP servers. ${EFFECT} ${adviceFor("inVain")}`,
        `Codex did not request the tools of Sparkle: it did not connect to this MCP server, although it uses others. ${EFFECT}`,
        `Claude did not request the tools of Sparkle (0 of 9): it connected to the MCP server and did not list its tools in time. ${EFFECT}`,
        `Auggie did not request the tools of Sparkle (0 of 9): it did not connect to this MCP server. ${EFFECT}`,
      ],
    );
  });

  test("names the server as the cause if it cannot list its tools", () => {
    const broken = (name: string) => named(name, { stage: "connected", connections: 1, listFailed: true });
    deepEqual(
      [
        missingToolsSentence({ agent: "Claude", missing: [broken("My server")], all: 2, retry: "otherTransport" }),
        missingToolsSentence({
          agent: "Claude",
          missing: [broken("A"), named("Sparkle"), broken("B")],
          all: 3,
          retry: "otherTransport",
        }),
      ],
      [
        "Claude does not have the tools of My server: the MCP server did not list them. The reason is in the log.",
        `Claude did not request the tools of Sparkle: it did not connect to this MCP server, although it uses others. ${EFFECT} ${adviceFor("otherTransport")} ` +
          "Claude does not have the tools of A and B: the MCP servers did not list them. The reasons are in the log.",
      ],
    );
  });

  test("suggests the next step that the next session tries", () => {
    const retries = ["otherTransport", "sameTransport", "inVain"] as const;
    deepEqual(
      retries.map(retry => adviceFor(retry, "client")),
      [
        "Start a new session, which offers them over another connection.",
        "Start a new session to try again, or use another agent.",
        "They were offered over every connection that it supports. Select another agent to use them.",
      ],
    );
    deepEqual(
      retries.map(retry => adviceFor(retry)),
      [
        "Open a new tab or chat, which offers them over another connection.",
        "Open a new tab or chat to try again, or select another agent.",
        "They were offered over every connection that it supports. Select another agent to use them.",
      ],
    );
  });

  test("suggests the agent's own configuration if the agent never connects or reports no support", () => {
    const advice = (["absent", "outdated", "added", "edited", "refused", "unknown"] as const).map(
      configuration =>
        missingToolsSentence({
          agent: "Auggie",
          missing: [named("Sparkle")],
          all: 1,
          retry: "inVain",
          configuration,
        })?.split(`${EFFECT} `)[1],
    );
    deepEqual(advice, [
      "An entry in its own configuration can provide them. Select “Add to Agent's Configuration…” to add it.",
      "The entry in its own configuration is from another version of Symposium. Select “Update Configuration…” in the agent's row of Symposium's settings.",
      "It did not use the entry in its own configuration either. Select another agent to use them.",
      "Its own configuration has an entry that Symposium did not write. The agent's row of Symposium's settings shows it.",
      "Its own configuration cannot be changed. Select “Check” in the agent's row of Symposium's settings to see the reason.",
      "Auggie cannot use tools of extensions. If it reads MCP servers from a configuration file, name the file in “ownConfiguration” of its entry in symposium.agents.",
    ]);
  });

  test("refers VS Code's chat, which has no configuration button, to a Symposium tab", () => {
    const sentence = missingToolsSentence({
      agent: "Auggie",
      missing: [named("Sparkle")],
      all: 1,
      retry: "inVain",
      configuration: "absent",
      place: "chat",
    });
    equal(
      sentence?.split(`${EFFECT} `)[1],
      "An entry in its own configuration can provide them. To add it, open a tab with this agent in Symposium and send a prompt.",
    );
  });

  test("is absent without missing tools", () => {
    equal(missingToolsSentence({ agent: "Claude", missing: [], all: 3 }), undefined);
  });

  test("escapes invisible characters of a server's name", () => {
    equal(missingToolsSentence({ agent: "Claude", missing: [named("a\u202eb")], all: 1 })?.includes("\u202e"), false);
  });
});
