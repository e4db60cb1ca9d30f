/**
 * Tests proxy programs that misbehave. Each failure is reported with a sentence for the user and the last stderr
 * output.
 */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import type { RpcError } from "../rpc/message";
import { memoryChain, type MemoryChain } from "../testing/chain/memory-chain";
import { ProcessChain } from "../testing/chain/process-chain";
import { internalProxy } from "../testing/chain/stream-chain";
import { settled } from "../testing/turn";

const LAST_WORDS = /rogue proxy: this is how it goes\n/;

suite("rogue proxy", function () {
  this.timeout(timeLimit(120_000));
  let processes: ProcessChain;
  setup(() => {
    processes = new ProcessChain();
  });
  teardown(() => processes[Symbol.asyncDispose]());

  /** The rogue proxy between two correct ones. */
  const chainWith = (...flags: readonly string[]): MemoryChain =>
    memoryChain([{}, processes.proxy("Rogue", "rogue-proxy", flags), internalProxy("quiet")]);
  const initialize = (chain: MemoryChain): Promise<unknown> =>
    chain.client.request("initialize", { protocolVersion: 1 });
  const works = async (chain: MemoryChain): Promise<void> => {
    deepEqual(await chain.client.request("session/new", { cwd: "/", mcpServers: [] }), { sessionId: "s1" });
    const prompted = chain.client.request("session/prompt", { sessionId: "s1", prompt: [] });
    const prompt = await chain.agent.next("session/prompt");
    chain.agent.report("s1", "hello");
    prompt.respond({ stopReason: "end_turn" });
    deepEqual(await prompted, { stopReason: "end_turn" });
    deepEqual(chain.notifications.length, 1);
    equal(chain.agent.received.filter(method => method === "initialize").length, 1);
    await chain.conductor[Symbol.asyncDispose]();
  };

  const bypassed: Readonly<Record<string, readonly [why: RegExp, output: RegExp | undefined]>> = {
    "--die-on-initialize": [
      /^The agent extension “Rogue” is skipped: Rogue (has )?(ended|exited|stopped).*3/,
      LAST_WORDS,
    ],
    "--die-after-forward": [
      /^The agent extension “Rogue” is skipped: Rogue (has )?(ended|exited|stopped).*3/,
      LAST_WORDS,
    ],
    "--answer-without-forwarding": [/is skipped: it responded before its successor was initialized\.$/, undefined],
    "--change-version": [/is skipped: it responded with protocol version 99, its successor with 1\.$/, undefined],
    "--not-a-proxy": [
      /is skipped: it is not an agent extension: it implements neither proxy\/initialize nor _proxy\/initialize\.$/,
      undefined,
    ],
  };
  for (const [flag, [why, output]] of Object.entries(bypassed))
    test(`is bypassed and stopped with ${flag}, and the chain keeps running`, async () => {
      const chain = chainWith(flag);
      await initialize(chain);
      equal(chain.notices.length, 1);
      const [notice] = chain.notices;
      deepEqual([notice?.kind, notice?.component], ["bypassed", "Rogue"]);
      match(notice?.message ?? "", why);
      if (output) match(String(notice?.cause), output);
      await works(chain);
    });

  test("is reported as slow after 10 s and bypassed after 30 s with --hang-initialize", async () => {
    const chain = chainWith("--hang-initialize");
    const answer = initialize(chain);
    await settled();
    chain.clock.advance(10_000);
    chain.clock.advance(20_000);
    deepEqual(
      chain.notices.map(({ kind, component }) => [kind, component]),
      [
        ["slow", "Rogue"],
        ["bypassed", "Rogue"],
      ],
    );
    match(chain.notices[1]?.message ?? "", /it did not respond within 30 seconds\.$/);
    await answer;
    await works(chain);
  });

  for (const flags of [
    [],
    ["--old"],
    ["--slow-initialize", "30"],
    ["--garbage"],
    ["--wrong-answer"],
    ["--die-on", "_proxy/initialize"],
  ])
    test(`is tolerated with ${flags.join(" ") || "no flag"}`, async () => {
      const chain = chainWith(...flags);
      await initialize(chain);
      await works(chain);
      deepEqual(chain.notices, []);
      equal(chain.warnings.length > 0, flags[0] === "--wrong-answer");
    });

  for (const method of ["session/new", "session/prompt", "session/update", "session/request_permission"])
    test(`ends the chain if it exits at ${method}: errors contain its name and last output`, async () => {
      const chain = chainWith("--die-on", method);
      await initialize(chain);
      const mine = (error: RpcError): boolean => {
        match(error.message, /^Rogue .*3/);
        const { component, details } = error.data as { component: string; details: string };
        equal(component, "Rogue");
        match(details, LAST_WORDS);
        match(details, new RegExp(`${method} came`));
        return true;
      };
      const opened = chain.client.request("session/new", { cwd: "/", mcpServers: [] });
      if (method === "session/new") await rejects(opened, mine);
      else {
        await opened;
        const prompted = rejects(chain.client.request("session/prompt", { sessionId: "s1", prompt: [] }), mine);
        if (method !== "session/prompt") {
          await chain.agent.next("session/prompt");
          if (method === "session/update") chain.agent.report("s1", "hello");
          else await rejects(chain.agent.peer.request(method, { sessionId: "s1" }));
        }
        await prompted;
      }
      const { component, message } = await chain.conductor.closed;
      equal(component, "Rogue");
      match(message, /^Rogue .*3/);
      deepEqual(
        chain.notices.map(({ kind, component: who }) => [kind, who]),
        [["failed", "Rogue"]],
      );
      match(String(chain.notices[0]?.cause), LAST_WORDS);
      deepEqual([chain.proxies[0]?.stopped, chain.agent.received.at(-1)], [true, "closed"]);
    });
});
