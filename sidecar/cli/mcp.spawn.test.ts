/** The shim as the process that an agent starts, with a real endpoint. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { mcpBridge } from "../conductor/mcp-bridge";
import { shimDeclaration } from "../mcp/shim";
import { type JsonObject, arrayOr, isObject, objectOr } from "../rpc/json";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { manyTools, TOOLS } from "../testing/mcp/many-tools";
import { listen, serveMcpOverHttp } from "../testing/mcp/mcp-server";
import { adding, connected, Signal, transportTo, Fixture } from "../testing/mcp/mcp-fixture";

const program = () => ({
  command: process.execPath,
  script: `${process.env.SYMPOSIUM_TEST_PROGRAMS}/mcp-shim.program.mjs`,
  electron: false,
});
const resultText = (result: unknown) => String(objectOr(arrayOr(objectOr(result).content)[0]).text);
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

class Shimmed extends Fixture {
  static async open(note: (line: string) => void = () => undefined, closed: () => void = () => undefined) {
    const offer = adding("ours", chain => [
      chain.offerMcp("ours", async transport => {
        const server = manyTools(note);
        server.onclose = closed;
        await server.connect(transport);
      }).declaration,
    ]);
    const fixture = new Fixture({
      stages: [offer, mcpBridge({ clock: new FakeClock(), shim: program() })],
      initialized: { protocolVersion: 1, agentCapabilities: {} },
    });
    await fixture.initialize();
    const {
      servers: [server],
    } = await fixture.setup("session/new", { mcpServers: [] });
    return Object.assign(fixture, { server: server ?? {} });
  }
}

/** Starts the shim with raw lines on stdin and stdout. */
function started(server: JsonObject) {
  const env = Object.fromEntries(
    arrayOr(server.env)
      .filter(isObject)
      .map(({ name, value }) => [String(name), String(value)]),
  );
  const child = spawn(String(server.command), arrayOr(server.args).map(String), { env, stdio: "pipe" });
  const lines: JsonObject[] = [],
    came = new Signal();
  let rest = "",
    stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const all = (rest + chunk.toString()).split("\n");
    rest = all.pop() ?? "";
    for (const line of all) {
      lines.push(objectOr(JSON.parse(line)));
      came.fire();
    }
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return {
    child,
    lines,
    came,
    send: (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`),
    stderr: () => stderr,
    exited: once(child, "close").then(([code]) => code as unknown),
  };
}

suite("MCP shim", () => {
  test("forwards 60 tools, 100 concurrent calls, cancellations and the server's requests", async () => {
    const began = new Signal(),
      cancelled = new Signal();
    await using w = await Shimmed.open(line => (line === "wait began" ? began : cancelled).fire());
    await using client = await connected(
      w.server,
      each =>
        each.setRequestHandler(CreateMessageRequestSchema, () => ({
          model: "m",
          role: "assistant" as const,
          content: { type: "text" as const, text: "me" },
        })),
      { sampling: {} },
    );
    equal((await client.listTools()).tools.length, TOOLS);
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) => client.callTool({ name: "tool_1", arguments: { i } })),
    );
    deepEqual(
      results.map(resultText),
      Array.from({ length: 100 }, (_, i) => `tool_1 {"i":${i}}`),
    );
    equal(resultText(await client.callTool({ name: "sample" })), '{"type":"text","text":"me"}');
    const aborting = new AbortController(),
      waiting = client.callTool({ name: "wait" }, undefined, { signal: aborting.signal });
    await began.times(1);
    aborting.abort();
    await rejects(waiting);
    await cancelled.times(1);
  });

  test("serves pipelined messages in order", async () => {
    await using w = await Shimmed.open();
    const shim = started(w.server);
    for (const message of [
      INITIALIZE,
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, method: "ping" },
    ])
      shim.send(message);
    await shim.came.times(2);
    deepEqual(
      shim.lines.map(({ id, result }) => [id, result !== undefined]),
      [
        [0, true],
        [1, true],
      ],
    );
    shim.child.stdin.end();
    await shim.exited;
  });

  test("forwards progress in order before the response", async () => {
    // raw lines, because the SDK's client drops progress that arrives in the same read as the response
    await using w = await Shimmed.open();
    const shim = started(w.server);
    shim.send(INITIALIZE);
    await shim.came.times(1);
    shim.send({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "progress", _meta: { progressToken: "p" } },
    });
    await shim.came.times(5);
    deepEqual(
      shim.lines.slice(1).map(({ id, params }) => id ?? objectOr(params).progress),
      [1, 2, 3, 1],
    );
    shim.child.stdin.end();
    await shim.exited;
  });

  test("closes the MCP session and exits with 0 at the end of stdin", async () => {
    const closed = new Signal();
    await using w = await Shimmed.open(undefined, closed.fire);
    const shim = started(w.server);
    shim.send(INITIALIZE);
    await shim.came.times(1);
    shim.child.stdin.end();
    equal(await shim.exited, 0);
    await closed.times(1);
    equal(shim.stderr(), "");
  });

  test("answers open requests and reports the reason when its session closes", async () => {
    const began = new Signal();
    await using w = await Shimmed.open(began.fire);
    const shim = started(w.server);
    shim.send(INITIALIZE);
    await shim.came.times(1);
    shim.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    shim.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } });
    await began.times(1);
    await w.client.request("session/close", { sessionId: "s1" });
    await shim.came.times(2);
    deepEqual([shim.lines[1]?.id, Object.keys(shim.lines[1] ?? {}).includes("error")], [1, true]);
    equal(await shim.exited, 1);
    match(shim.stderr(), /^The MCP server is no longer reachable: .*\n$/);
  });

  test("rejects initialize if the server is unreachable or the token is wrong", async () => {
    const w = await Shimmed.open(),
      { url, token } = addressOf(w.server);
    const unauthorized = started(shimDeclaration(program(), { url, token: `${token}x` }));
    unauthorized.send(INITIALIZE);
    deepEqual(
      [
        await unauthorized.exited,
        unauthorized.lines.map(line => line.id),
        Object.keys(objectOr(unauthorized.lines[0])),
      ],
      [1, [0], ["jsonrpc", "id", "error"]],
    );
    ok(!unauthorized.stderr().includes(token));
    await w[Symbol.asyncDispose]();
    const late = started(w.server);
    late.send(INITIALIZE);
    equal(await late.exited, 1);
    match(String(objectOr(objectOr(late.lines[0]).error).message), /is no longer reachable/);
  });

  test("asks a stateless client to start with initialize and rejects only an oversized message", async () => {
    await using w = await Shimmed.open();
    const shim = started(w.server);
    shim.send({ jsonrpc: "2.0", id: "d", method: "server/discover", params: {} });
    await shim.came.times(1);
    equal(objectOr(shim.lines[0]?.error).code, -32601);
    shim.send(INITIALIZE);
    await shim.came.times(2);
    shim.send({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "tool_1", arguments: { large: "x".repeat(9_000_000) } },
    });
    await shim.came.times(3);
    match(JSON.stringify(shim.lines[2]), /"id":2,"error":.*8388608 bytes/);
    shim.send({ jsonrpc: "2.0", id: 3, method: "ping" });
    await shim.came.times(4);
    deepEqual(shim.lines[3], { jsonrpc: "2.0", id: 3, result: {} });
    shim.child.kill("SIGTERM");
    equal(await shim.exited, 0);
  });

  suite("MCP shim for a remote server", () => {
    const startedShim = (url: string, headers: Readonly<Record<string, string>> = { Authorization: "Bearer secret" }) =>
      started(shimDeclaration(program(), { url, headers }));
    const errorOf = (line: JsonObject | undefined) => String(objectOr(line?.error).message);

    test("forwards a stdio client's requests with headers and closes the session", async () => {
      const closed = new Signal();
      await using server = await serveMcpOverHttp(closed.fire);
      await using client = await connected({
        name: "docs",
        ...shimDeclaration(program(), { url: server.url, headers: { Authorization: "Bearer secret" } }),
      });
      equal(resultText(await client.callTool({ name: "echo", arguments: { text: "hello" } })), "hello");
      await client.close();
      await closed.times(1);
    });

    test("forwards the server's errors without address and key, and continues", async () => {
      let answers = 0;
      await using server = await listen((request, response) => {
        answers++;
        if (answers === 1) return void response.writeHead(403).end("hunter2");
        if (answers === 2) return void response.writeHead(500).end("x".repeat(1000));
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id: 3, result: { key: request.headers["x-key"] } }));
      });
      const shim = startedShim(`${server.url}?key=hunter2`, { "X-Key": "hunter3" });
      for (const [i, method] of ["initialize", "initialize", "ping"].entries()) {
        shim.send({ jsonrpc: "2.0", id: i + 1, method });
        await shim.came.times(i + 1);
      }
      const host = new URL(server.url).host;
      equal(
        errorOf(shim.lines[0]),
        `The MCP server at ${host} rejects it (403). Put the required key into its “headers”.`,
      );
      match(errorOf(shim.lines[1]), /returned an error: .*x{200,}$/);
      ok(errorOf(shim.lines[1]).length < 450);
      deepEqual(shim.lines[2], { jsonrpc: "2.0", id: 3, result: { key: "hunter3" } });
      shim.child.stdin.end();
      deepEqual([await shim.exited, shim.stderr()], [0, ""]);
    });

    test("does not delay requests behind an open one", async () => {
      const pending: (() => void)[] = [];
      await using server = await listen((request, response) => {
        let body = "";
        request
          .on("data", (chunk: Buffer) => {
            body += chunk.toString();
          })
          .on("end", () => {
            const { id } = objectOr(JSON.parse(body));
            pending.push(() =>
              response
                .writeHead(200, { "content-type": "application/json" })
                .end(JSON.stringify({ jsonrpc: "2.0", id, result: {} })),
            );
            if (pending.length === 2) for (const answer of pending) answer();
          });
      });
      const shim = startedShim(server.url);
      for (const id of [1, 2]) shim.send({ jsonrpc: "2.0", id, method: "tools/call" });
      await shim.came.times(2);
      deepEqual(shim.lines.map(({ id }) => id).sort(), [1, 2]);
      shim.child.stdin.end();
      equal(await shim.exited, 0);
    });

    test("exits with an error when the server ends the session", async () => {
      await using server = await listen((request, response) => {
        // many servers offer no stream; the shim must not end for that reason
        if (request.method === "GET") return void response.writeHead(404).end();
        if (request.headers["mcp-session-id"] !== undefined) return void response.writeHead(404).end();
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" }).end(
          JSON.stringify({
            jsonrpc: "2.0",
            id: 0,
            result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "t", version: "1" } },
          }),
        );
      });
      const shim = startedShim(server.url);
      shim.send(INITIALIZE);
      await shim.came.times(1);
      shim.send({ jsonrpc: "2.0", id: 1, method: "ping" });
      await shim.came.times(2);
      equal(errorOf(shim.lines[1]), `The MCP server at ${new URL(server.url).host} has ended the session.`);
      equal(await shim.exited, 1);
    });

    test("rejects each request while the server is unreachable, and continues", async () => {
      const server = await listen(() => undefined),
        { host } = new URL(server.url);
      await server[Symbol.asyncDispose]();
      const shim = startedShim(`${server.url}?key=hunter2`);
      for (const times of [1, 2]) {
        shim.send(INITIALIZE);
        await shim.came.times(times);
        equal(errorOf(shim.lines.at(-1)), `The MCP server at ${host} could not be reached: ECONNREFUSED.`);
      }
      shim.child.stdin.end();
      deepEqual([await shim.exited, shim.stderr()], [0, ""]);
    });
  });

  test("explains its purpose when started manually", async () => {
    const shim = started({ command: process.execPath, args: [program().script] });
    equal(await shim.exited, 2);
    match(shim.stderr(), /Agents start this command/);
  });

  test("works with the SDK's stdio client", async () => {
    await using w = await Shimmed.open();
    const client = new Client({ name: "t", version: "1" });
    await client.connect(transportTo(w.server));
    equal(client.getServerVersion()?.name, "many");
    await client.close();
  });
});

function addressOf(server: JsonObject) {
  const [url, token] = arrayOr(server.env).map(each => String(objectOr(each).value));
  return { url: String(url), token: String(token) };
}
