/** Tests requests to a stateless server whose owner limits the number of open requests. */
import { equal } from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { RpcError } from "../rpc/message";
import { McpCode } from "./revision";
import { StatelessLink } from "./stateless-link";

/** A client of a stateless server. `open` resolves the requests at the owner, in order. */
function limited() {
  const open: ((answer: object) => void)[] = [],
    server = new StatelessLink("server-1", {
      request: () => new Promise(resolve => open.push(resolve)),
      notify: () => undefined,
    }),
    request = (method = "tools/call"): Promise<unknown> =>
      server.request(method, {}, { signal: new AbortController().signal, notification: () => undefined });
  return { open, request };
}

const full = { error: { code: McpCode.limit, message: "full" } };

/** Returns the error code of a request that fails without another message. */
const codeOf = (request: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    request.catch((error: unknown) => (error instanceof RpcError ? error.code : error)),
    setImmediate("no answer"),
  ]);

suite("CarriedServer", () => {
  test("retries a request that exceeds the limit when another request has ended", async () => {
    const { open, request } = limited();
    const first = request(),
      second = request();
    open[1]?.(full);
    await setImmediate();
    equal(open.length, 2);
    open[0]?.({ result: "first" });
    equal(await first, "first");
    await setImmediate();
    open[2]?.({ result: "second" });
    equal(await second, "second");
  });

  test("fails a request that exceeds the limit without another open request, also after earlier ones", async () => {
    const { open, request } = limited();
    const first = request();
    open[0]?.({ result: "first" });
    await first;
    const second = request();
    open[1]?.(full);
    equal(await codeOf(second), McpCode.limit);
    equal(open.length, 2);
  });

  test("does not wait for the end of a subscription", async () => {
    const { open, request } = limited();
    void request("subscriptions/listen");
    const second = request();
    open[1]?.(full);
    equal(await codeOf(second), McpCode.limit);
  });
});
