import { deepEqual } from "node:assert/strict";
import { Frame } from "../rpc/frame";
import { OwnRequests } from "./own-requests";
import { turn } from "../testing/turn";

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
