/** IDE operations from an agent or an extension to the host. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { ErrorCode } from "../../../src/protocol/wire/errors";
import { offersIde } from "../../../src/protocol/ide/ide-capability";
import { AgentConnection, type ConnectionOptions } from "../../acp/connection";
import { initializeParams } from "../../acp/initialize";
import { HostWire } from "../../rpc/host-wire";
import { RpcCode, RpcError } from "../../rpc/message";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../../testing/memory-agent";
import { editorOperations } from "./editor-operations";
import { EXTENSION_METHODS } from "../../acp/methods";

const REQUEST = { operation: "hover", path: "/w/a", at: { line: 0 }, folders: ["/w"] };
const refused =
  (code: number, message: string) =>
  (error: unknown): boolean =>
    error instanceof RpcError && (deepEqual([error.code, error.message], [code, message]), true);
const connect = (agent: MemoryAgent, ide?: ConnectionOptions["ide"], role?: "lm") =>
  AgentConnection.connect(agent.channel, {
    name: "Ada",
    version: "1",
    protocol: 1,
    clock: new FakeClock(),
    onWarning: () => undefined,
    lastWords: () => "",
    stop: async () => undefined,
    ...(ide ? { ide } : {}),
    ...(role ? { role } : {}),
  });

suite("IDE operations through the host", () => {
  test("advertises the capability only with a handler, in both versions and roles", () => {
    for (const version of [1, 2] as const)
      for (const role of ["lm", undefined] as const)
        deepEqual(
          [true, false].map(isIde => offersIde(initializeParams(version, "1", role, isIde))),
          [true, false],
        );
  });

  for (const role of ["lm", undefined] as const)
    test(`answers an agent's request for any session (${role ?? "chat"})`, async () => {
      const agent = new MemoryAgent();
      await using _ = await connect(agent, async params => ({ kind: "hover", text: JSON.stringify(params) }), role);
      deepEqual(await agent.peer.request(EXTENSION_METHODS.ide_operation, REQUEST), {
        kind: "hover",
        text: JSON.stringify(REQUEST),
      });
    });

  test("rejects the method as unknown without the capability", async () => {
    const agent = new MemoryAgent();
    await using _ = await connect(agent);
    await rejects(
      agent.peer.request(EXTENSION_METHODS.ide_operation, REQUEST),
      (error: unknown) => error instanceof RpcError && error.code === RpcCode.methodNotFound,
    );
  });

  test("rejects an invalid request before it reaches the host", async () => {
    const operate = editorOperations(() => Promise.reject(new Error("asked")));
    await rejects(
      operate({ operation: "fly", folders: ["/w"] }, new AbortController().signal),
      (error: unknown) =>
        error instanceof RpcError &&
        error.code === RpcCode.invalidParams &&
        /^message\.operation: wrong type/.test(error.message),
    );
  });

  test("forwards the host's response, its error and the agent's cancellation", async () => {
    const [toHost, toSidecar] = [new PassThrough(), new PassThrough()],
      wire = new HostWire(toSidecar, toHost),
      host = createMessageConnection(new StreamMessageReader(toHost), new StreamMessageWriter(toSidecar));
    const asked: unknown[] = [];
    host.onRequest("editor/ideOperation", (request: { readonly operation: string }, token) => {
      asked.push(request);
      if (request.operation === "hover") return { kind: "hover", text: "t" };
      if (request.operation === "diagnostics") return new ResponseError(ErrorCode.refused, "Not trusted.");
      const cancelled = { kind: "symbols", symbols: [], total: 0, note: "cancelled" };
      return token.isCancellationRequested
        ? cancelled
        : new Promise(resolve => {
            token.onCancellationRequested(() => resolve(cancelled));
          });
    });
    host.listen();
    wire.serve(new Proxy({}, {}) as never);
    const agent = new MemoryAgent();
    await using _ = await connect(
      agent,
      editorOperations((method, params, signal) => wire.request(method, params, signal)),
    );
    deepEqual(
      [await agent.peer.request(EXTENSION_METHODS.ide_operation, REQUEST), asked],
      [{ kind: "hover", text: "t" }, [REQUEST]],
    );
    await rejects(
      agent.peer.request(EXTENSION_METHODS.ide_operation, { operation: "diagnostics", folders: ["/w"] }),
      refused(ErrorCode.refused, "Not trusted."),
    );
    const cancelling = new AbortController(),
      answer = agent.peer.request(
        EXTENSION_METHODS.ide_operation,
        { operation: "document_symbols", path: "/w/a", folders: ["/w"] },
        { signal: cancelling.signal },
      );
    cancelling.abort();
    equal(((await answer) as { note?: string }).note, "cancelled");
    host.dispose();
    toHost.end();
    toSidecar.end();
  });
});
