import { deepEqual, doesNotThrow, equal, rejects } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { Call, Handlers, Note, Part } from "../../src/protocol/wire/wire";
import { dispatcher, HostWire } from "./host-wire";
import { RpcCode } from "./message";

interface Contract {
  hello: Call<{ readonly name: string }, { readonly greeting: string }>;
  "note/add": Note<{ readonly text: string }>;
  "note/all": Call<Record<string, never>, { readonly texts: readonly string[] }>;
}

/** A connection whose `note` methods are loaded on first use, after `load` resolves. */
function connected(load: Promise<void>) {
  const toSidecar = new PassThrough(),
    toHost = new PassThrough(),
    texts: string[] = [];
  const notes: Handlers<Part<Contract, "note">> = {
    "note/add": ({ text }) => void texts.push(text),
    "note/all": async () => ({ texts: [...texts] }),
  };
  new HostWire(toSidecar, toHost).serve(
    dispatcher<Contract, "note">(
      { hello: async ({ name }) => ({ greeting: `Hello ${name}` }) },
      {
        note: async () => {
          await load;
          return notes;
        },
      },
    ),
  );
  const host = createMessageConnection(new StreamMessageReader(toHost), new StreamMessageWriter(toSidecar));
  host.listen();
  return host;
}

suite("HostWire", () => {
  test("drops messages after the host disconnects, while agents still stop and log", async () => {
    const input = new PassThrough(),
      output = new PassThrough();
    const wire = new HostWire(input, output);
    wire.serve(dispatcher({}, {}));
    output.resume();
    input.destroy();
    await wire.closed;
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    doesNotThrow(() => wire.notify("process/ended", { pid: 1 }));
  });

  test("passes the messages of a prefix to its handlers in order, also while they load", async () => {
    let load = (): void => undefined;
    const host = connected(
      new Promise(resolve => {
        load = resolve;
      }),
    );
    await host.sendNotification("note/add", { text: "one" });
    const first = host.sendRequest("note/all", {});
    await host.sendNotification("note/add", { text: "two" });
    deepEqual(await host.sendRequest("hello", { name: "Ada" }), { greeting: "Hello Ada" });
    load();
    deepEqual(await first, { texts: ["one"] });
    deepEqual(await host.sendRequest("note/all", {}), { texts: ["one", "two"] });
    host.dispose();
  });

  test("rejects requests without a handler and ignores such notifications", async () => {
    const host = connected(Promise.resolve());
    for (const method of ["note/none", "note/toString", "toString", "constructor", "/", "note", ""]) {
      await host.sendNotification(method, {});
      await rejects(host.sendRequest(method, {}), { code: RpcCode.methodNotFound });
    }
    equal(typeof (await host.sendRequest("hello", { name: "Ada" })), "object");
    host.dispose();
  });
});
