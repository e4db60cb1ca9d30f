/** The end of a research in each case, and the limit of concurrent researches. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { arrayOr, objectOr } from "../../rpc/json";
import { RpcError } from "../../rpc/message";
import { eventually } from "../../testing/eventually";
import { failure, FerrisFixture, query, respond } from "../../testing/extensions/ferris-fixture";
import { resultText } from "../../testing/mcp/mcp-ends";
import { deferred } from "../../../src/protocol/wire/deferred";
import { LIMIT_MS, REST_MS } from "./research-state";

const OPTIONS = [
  { optionId: "no", kind: "reject_once", name: "No" },
  { optionId: "yes", kind: "allow_once", name: "Yes" },
];

suite("end of research", () => {
  test("uses the last message of an agent that never responds, without caching it", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const ask = async (): Promise<string> => {
      const asked = query(client),
        { prompt, sessionId, tools } = await bench.research(),
        chunk = (text: string) =>
          bench.fixture.agent.notify("session/update", {
            sessionId,
            update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
          });
      chunk("I look.");
      bench.fixture.agent.notify("session/update", {
        sessionId,
        update: { sessionUpdate: "tool_call", toolCallId: "1", title: "Read" },
      });
      chunk("It is ");
      chunk("seven.");
      prompt.respond({ stopReason: "end_turn" });
      const answer = resultText(await asked);
      await tools.close();
      return answer;
    };
    match(
      await ask(),
      /^\(The research ended without a response by its tool\. The last message of its agent follows\.\)\n\nIt is seven\.\n/,
    );
    match(await ask(), /It is seven/);
  });

  test("cancels an agent that continues after its response", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const asked = query(client),
      { tools } = await bench.research();
    await respond(tools, "Seven.");
    bench.clock.advance(REST_MS - 1);
    await respond(tools, "Grams.");
    bench.clock.advance(REST_MS - 1);
    equal(bench.fixture.agentReceived.length, 0);
    bench.clock.advance(1);
    match(resultText(await asked), /^Seven\.\n\nGrams\.\n/);
    deepEqual(
      bench.fixture.agentReceived.map(({ method }) => method),
      ["session/cancel"],
    );
    await tools.close();
  });

  test("times out after five minutes, including the session's start", async () => {
    await using bench = new FerrisFixture();
    bench.opensByItself = false;
    await using client = await bench.client();
    const asked = query(client),
      opening = await bench.openings.next();
    bench.clock.advance(LIMIT_MS);
    match(
      await failure(asked),
      /the agent did not open a session for it within 5 minutes: perhaps it can have only one at a time\./,
    );
    bench.answerOpening(opening); // too late: the session is closed at once and never prompted
    bench.opensByItself = true;
    const again = query(client),
      { tools, sessionId } = await bench.research();
    deepEqual([sessionId, bench.closed], ["research-2", ["research-1"]]);
    bench.clock.advance(LIMIT_MS);
    match(await failure(again), /it did not finish within 5 minutes/);
    deepEqual(bench.closed, ["research-1", "research-2"]);
    await tools.close();
  });

  test("reports an agent that cannot open a second session or fails, with an alternative", async () => {
    await using bench = new FerrisFixture();
    bench.opensByItself = false;
    await using client = await bench.client();
    const asked = query(client);
    (await bench.openings.next()).fail(new RpcError(-32603, "Only one session."));
    match(
      await failure(asked),
      /^The research ended without an answer: the agent could not open a session for it: Only one session\. You can read the source of pebble 1\.1\.0 yourself: .*pebble-1\.1\.0$/,
    );
    bench.opensByItself = true;
    const again = query(client),
      { prompt, tools } = await bench.research();
    prompt.fail(new RpcError(-32603, "No model."));
    match(await failure(again), /the agent failed: No model\./);
    await tools.close();
  });

  test("cancels the research with its call, turn or chain", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const withdrawing = new AbortController(),
      ends = (status: string) => bench.nextUpdate(update => update.status === status);
    const withdrawn = rejects(query(client, "1", {}, { signal: withdrawing.signal })),
      first = await bench.research(),
      failed = ends("failed");
    withdrawing.abort();
    await Promise.all([withdrawn, failed]);
    equal(bench.fixture.agentReceived.filter(({ method }) => method === "session/cancel").length, 1);
    await first.tools.close();
    const stopped = query(client, "2"),
      second = await bench.research();
    bench.fixture.client.notify("session/cancel", { sessionId: "another" });
    await respond(second.tools, "It goes on.");
    bench.fixture.client.notify("session/cancel", { sessionId: "s1" });
    match(await failure(stopped), /it was withdrawn/);
    await second.tools.close();
    const open = query(client, "3").catch((error: unknown) => error),
      third = await bench.research();
    await bench.fixture[Symbol.asyncDispose]();
    await open;
    await third.tools.close().catch(() => undefined);
    equal(bench.clock.waiting, 0);
  });

  test("cancels the source lookup with the turn", async () => {
    await using bench = new FerrisFixture();
    const looking = deferred<void>();
    bench.looks = signal => {
      looking.resolve();
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    };
    await using client = await bench.client();
    const stopped = failure(query(client));
    await looking.promise;
    bench.fixture.client.notify("session/cancel", { sessionId: "another" });
    bench.fixture.client.notify("session/cancel", { sessionId: "s1" });
    match(await stopped, /The turn was stopped\./);
    deepEqual([bench.fixture.setups.length, bench.clock.waiting], [1, 0]);
  });

  test("uses and deletes an empty folder for a crate with agent files", async () => {
    await using bench = new FerrisFixture();
    mkdirSync(path.join(bench.crate, ".claude"));
    await using client = await bench.client();
    const asked = query(client),
      { prompt, sessionId, tools } = await bench.research(),
      cwd = String(bench.fixture.setups.at(-1)!.params.cwd);
    deepEqual([cwd.startsWith(bench.crate), readdirSync(cwd)], [false, []]);
    match(
      String(objectOr(arrayOr(objectOr(prompt.params).prompt)[0]).text),
      /this session's own folder is empty: give absolute paths/,
    );
    const reads = async (file: string) =>
      objectOr(
        objectOr(
          await bench.fixture.agent.request("session/request_permission", {
            sessionId,
            toolCall: { toolCallId: "1", kind: "read", locations: [{ path: file }] },
            options: OPTIONS,
          }),
        ).outcome,
      ).optionId;
    deepEqual([await reads(path.join(bench.crate, "src", "lib.rs")), await reads("/etc/passwd")], ["yes", "no"]);
    await respond(tools, "Seven.");
    prompt.respond({ stopReason: "end_turn" });
    match(resultText(await asked), /^Seven\./);
    await eventually(() => !existsSync(cwd), "it is gone");
    await tools.close();
  });

  test("runs two researches, queues eight and rejects further ones until one ends", async () => {
    await using bench = new FerrisFixture();
    await using client = await bench.client();
    const waits = bench.nextUpdate(update => JSON.stringify(update).includes("Waiting: 2 researches are ahead of it."));
    const running = [
      await (async () => {
        const asked = query(client, "1");
        return { asked, ...(await bench.research()) };
      })(),
      await (async () => {
        const asked = query(client, "2");
        return { asked, ...(await bench.research()) };
      })(),
    ];
    deepEqual(
      running.map(({ server }) => server.name),
      ["ferris-research", "ferris-research-2"],
    );
    const third = query(client, "3");
    await waits;
    const others = Array.from({ length: 7 }, (_, i) => ({ withdraw: new AbortController(), i })),
      waiting = others.map(({ withdraw, i }) =>
        query(client, `other ${i}`, {}, { signal: withdraw.signal }).catch(() => undefined),
      );
    await bench.nextUpdate(update => JSON.stringify(update).includes("Waiting: 9 researches"));
    match(await failure(query(client, "too many")), /^2 researches are running and 8 are waiting\. Try again later/);
    equal(bench.prompts.waiting, 0);
    for (const { withdraw } of others) withdraw.abort();
    await Promise.all(waiting);
    await respond(running[0]!.tools, "Seven.");
    running[0]!.prompt.respond({ stopReason: "end_turn" });
    await running[0]!.asked;
    const next = await bench.research();
    match(JSON.stringify(next.prompt.params), /3/);
    for (const { prompt, tools } of [running[1]!, next]) {
      await respond(tools, "Seven.");
      prompt.respond({ stopReason: "end_turn" });
    }
    await Promise.all([running[1]!.asked, third]);
    for (const { tools } of [...running, next]) await tools.close();
  });
});
