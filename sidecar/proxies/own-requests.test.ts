import { deepEqual, equal, rejects } from "node:assert/strict";
import { Frame } from "../rpc/frame";
import { RpcError, type Message } from "../rpc/message";
import { rig } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import { OwnRequests } from "./own-requests";

suite("OwnRequests", () => {
  test("settles once despite a second close or a late response, and never before the call returns", async () => {
    const log: unknown[] = [];
    const own = new OwnRequests(
      { next: () => 1 },
      { send: () => log.push("sent"), overrule: () => log.push("overruled") },
    );
    const cancel = own.call("m", {}, ({ ok }) => log.push(ok));
    own.close({ message: "Gone." });
    own.close({ message: "Gone again." });
    deepEqual(own.answered(1, Frame.of({ jsonrpc: "2.0", id: 1, result: 1 })), false);
    cancel();
    own.notify("n", {});
    own.call("m", {}, outcome => log.push(outcome.ok ? "answered" : outcome.error.message));
    log.push("called");
    await turn();
    deepEqual(log, ["sent", "overruled", false, "called", "Gone."]);
  });
});

suite("proxy kit: own requests", () => {
  test("uses the conductor's ids, resolves only for the proxy and rejects with the error", async () => {
    const { client, successor, chain } = rig({});
    const answer = chain.successor.request("a", { x: 1 }),
      failed = chain.client.request("b", undefined);
    chain.successor.notify("c", undefined);
    deepEqual([successor.news(), client.news()], [['a#1001 {"x":1}', "c"], ["b#1002"]]);
    successor.deliver({ id: 1001, result: { y: 2 }, error: null } as unknown as Message); // some agents write both
    client.deliver({ id: 1002, error: { code: 3, message: "no", data: 4 } });
    deepEqual(await answer, { y: 2 });
    await rejects(failed, new RpcError(3, "no", 4));
    successor.deliver({ id: 1001, result: 0 });
    deepEqual([client.news(), successor.news()], [["#1001 = 0"], []]); // not for the proxy, so it is forwarded
  });

  test("is cancelled by its signal and still resolved, and is not sent if already aborted", async () => {
    const { successor, chain } = rig({}),
      aborting = new AbortController();
    const answer = chain.successor.request("a", {}, { signal: aborting.signal });
    aborting.abort();
    deepEqual(successor.news(), ["a#1001 {}", '$/cancel_request {"requestId":1001}']);
    successor.deliver({ id: 1001, result: "after all" });
    equal(await answer, "after all");
    await rejects(chain.successor.request("a", {}, { signal: aborting.signal }), { code: -32800 });
    deepEqual(successor.news(), []);
  });

  test("ignores its signal after the response", async () => {
    const { successor, chain } = rig({}),
      aborting = new AbortController();
    const answer = chain.successor.request("a", {}, { signal: aborting.signal });
    successor.deliver({ id: 1001, result: 1 });
    await answer;
    aborting.abort();
    deepEqual(successor.news(), ["a#1001 {}"]);
  });
});
