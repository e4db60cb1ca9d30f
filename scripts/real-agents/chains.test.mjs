// Published agents, and the MCP SDK's client, through chains of proxies. Compares the messages at the client's end byte
// for byte with those at the agent's end of the same run. For agents with `repeats`, it also compares them with a
// direct connection (transcript.mjs).
import { deepEqual, match, notDeepEqual, ok } from "node:assert/strict";
import { bridgedOf, INITIALIZE, scenesOf } from "./scenes.mjs";
import { AGENTS, isChosen, MCP_CLIENT } from "./agents.mjs";
import { testsOf } from "./matrix.mjs";
import { play } from "./play.mjs";
import { transcript, withOwnIds } from "./transcript.mjs";

const PASS = "pass-proxy",
  TOOLS = "tools-proxy";

/** The runs to compare. Each run starts once, when the first test needs it. */
function playsOf(agent) {
  const scenes = scenesOf(agent);
  // The first session of a process differs from later sessions. A direct connection has no scenes with servers.
  const bridged = [...scenes.slice(0, 2), ...bridgedOf(agent)];
  const through = (scenes, proxies, options) => {
    let playing;
    return () => (playing ??= play(agent, proxies, scenes, options));
  };
  return {
    direct: through(scenes),
    again: through(scenes),
    passing: new Map(
      [0, 1, 3].map(count => [
        count,
        through(
          scenes,
          Array.from({ length: count }, () => PASS),
        ),
      ]),
    ),
    bridged: new Map([
      ["over http", through(bridged, [TOOLS])],
      ["over http, with two other proxies", through(bridged, [PASS, TOOLS, PASS])],
      ["over the shim on stdio", through(bridged, [TOOLS], { withoutHttp: true })],
    ]),
  };
}

/** The transcript of a scene. Throws the error that stopped it. */
function transcriptOf({ besides, parallel }, { scenes }, { name, apart }) {
  const scene = scenes.get(name);
  if (scene === undefined) throw new Error("It was not played, because one before it failed.");
  if (scene.error !== undefined) throw scene.error;
  return transcript(scene, { unordered: Object.keys(besides.answered), parallel, apart });
}

/**
 * `atAgent` without the agent's cancellations of requests that the client had answered, which are not forwarded
 * (sidecar/rpc/hop.ts). The order of response and cancellation depends on timing.
 */
function withoutLateCancels(atAgent, atClient) {
  const answered = new Set(
    atAgent.flatMap(text => (/^client .*"id":"(agent's request \d+)","(?:result|error)"/.exec(text) ?? []).slice(1)),
  );
  return atAgent.filter(text => {
    const [, id] = /^agent .*"method":"\$\/cancel_request".*"requestId":"(agent's request \d+)"/.exec(text) ?? [];
    return id === undefined || !answered.has(id) || atClient.includes(text);
  });
}

/** `expected` converts a line without a chain into the expected line with a chain. */
async function same(agent, expectedRun, actualRun, scene, { like = scene, expected = text => text } = {}) {
  deepEqual(
    transcriptOf(agent, await actualRun(), scene),
    transcriptOf(agent, await expectedRun(), like).map(expected),
  );
}

for (const agent of [...AGENTS, MCP_CLIENT].filter(isChosen)) {
  const scenes = scenesOf(agent),
    { direct, again, passing, bridged } = playsOf(agent),
    it = testsOf(agent);

  if (agent.repeats)
    suite(`${agent.name} alone, repeated`, () => {
      for (const scene of scenes)
        it("alone", `produces the same transcript: ${scene.name}`, () => same(agent, direct, again, scene));
    });

  for (const [count, chain] of passing)
    suite(`${agent.name} through ${proxies(count)}`, () => {
      const asWithout = scene =>
        `${scene.name}: as without a chain${scene === INITIALIZE ? ", and with MCP over ACP" : ""}`;
      for (const scene of agent.repeats ? scenes : [])
        it("chain", asWithout(scene), () => same(agent, direct, chain, scene, { expected: withAcp }));

      it("chain", "forwards all messages byte for byte, except ids and MCP over ACP", async () => {
        const { scenes: played, lines, toAgent, fromAgent } = await chain();
        for (const { error } of played.values()) if (error) throw error;
        const sentBy = (from, lines) => lines.map(line => ({ from, line, message: JSON.parse(line) }));
        const atAgent = [...sentBy("client", toAgent), ...sentBy("agent", fromAgent)];
        const bySides = texts => ["client", "agent"].map(side => texts.filter(text => text.startsWith(`${side} `)));
        ok(lines.length >= 3 * scenes.length);
        const atClient = withOwnIds(lines);
        deepEqual(bySides(atClient), bySides(withoutLateCancels(withOwnIds(atAgent), atClient).map(withAcp)));
      });

      it("chain", "exits without warnings when its client disconnects", async () => {
        const { code, stderr } = await chain();
        // Printed on a slow machine.
        deepEqual({ code, stderr: stderr.replace(/^.* tapped is still starting\.\n/, "") }, { code: 0, stderr: "" });
      });
    });

  for (const [way, chain] of bridged)
    suite(`${agent.name} and an MCP server of a proxy, ${way}`, () => {
      const asOnStdio = ({ name }) =>
        `${name}: as those of a server on stdio that the client has, with the results of the tools`;
      for (const scene of bridgedOf(agent))
        it("chain", asOnStdio(scene), async () => {
          if (agent.repeats)
            await same(agent, direct, chain, scene, {
              like: scenes.find(({ name }) => name === scene.as),
              expected: withoutServers,
            });
          const { lines, error } = (await chain()).scenes.get(scene.name);
          if (error) throw error;
          const text = lines.map(({ line }) => line).join("\n");
          for (const result of [/said (once|together)/, /Behold:/, /It failed, as it should\./]) match(text, result);
        });
    });

  if (agent.repeats)
    suite(`transcript comparison of ${agent.name}`, () => {
      test("detects lost, duplicated, changed and moved messages", async () => {
        const play = await direct(),
          scene = scenes[1],
          { lines, requests } = play.scenes.get(scene.name);
        const [at, next] = lines.flatMap(({ message }, i) =>
          message.params?.update?.sessionUpdate === "agent_message_chunk" ? [i] : [],
        );
        const answer = lines.findLastIndex(({ from, message }) => from === "agent" && message.id !== undefined);
        const changed = (i, edit) => {
          const message = edit(structuredClone(lines[i].message));
          return lines.with(i, { ...lines[i], message, line: JSON.stringify(message) });
        };
        const wrong = {
          lost: lines.toSpliced(at, 1),
          doubled: lines.toSpliced(at, 0, lines[at]),
          swapped: lines.with(at, lines[next]).with(next, lines[at]),
          "with another text": changed(at, message => {
            message.params.update.content.text += ".";
            return message;
          }),
          "of another session": changed(at, message => {
            message.params.sessionId = crypto.randomUUID();
            return message;
          }),
          "the answer to another request": changed(answer, message => ({ ...message, id: 1 })),
          "with its keys in another order": changed(at, ({ params, ...rest }) => ({ params, ...rest })),
          "with a space": lines.with(at, { ...lines[at], line: lines[at].line.replace(",", ", ") }),
        };
        for (const [what, lines] of Object.entries(wrong)) {
          const changedPlay = { scenes: new Map([[scene.name, { lines, requests }]]) };
          notDeepEqual(transcriptOf(agent, changedPlay, scene), transcriptOf(agent, play, scene), what);
        }
      });
    });
}

function proxies(count) {
  return count === 0
    ? "a chain without proxies"
    : count === 1
      ? "a chain with one proxy"
      : `a chain with ${count} proxies`;
}

/** Applies the only change of a conductor to a line: the response to initialize advertises MCP servers over ACP. */
function withAcp(text) {
  if (!text.startsWith("agent ") || !text.includes('"agentCapabilities":')) return text;
  const message = JSON.parse(text.slice("agent ".length)),
    { mcpCapabilities } = message.result?.agentCapabilities ?? {};
  if (mcpCapabilities === undefined) return text;
  mcpCapabilities.acp = true;
  return `agent ${JSON.stringify(message)}`;
}

/** Removes the client's servers from `session/new`. */
function withoutServers(text) {
  if (!text.startsWith("client ") || !text.includes('"method":"session/new"')) return text;
  const message = JSON.parse(text.slice("client ".length));
  message.params.mcpServers = [];
  return `client ${JSON.stringify(message)}`;
}
