import { deepEqual, equal, ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { PassThrough } from "node:stream";
import { isObject, objectOr } from "../rpc/json";
import type { RpcError } from "../rpc/message";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { Peer } from "../rpc/peer";
import { turn } from "../testing/turn";
import type { ProxyDefinition } from "./proxy";
import { serveProxyOnStdio } from "./stdio";

/** Runs a proxy on two streams and records the lines that it writes. */
function onStreams(definition: ProxyDefinition) {
  const input = new PassThrough(),
    output = new PassThrough(),
    warnings: string[] = [];
  const served = serveProxyOnStdio(definition, { input, output, onWarning: what => warnings.push(what) });
  return {
    served,
    warnings,
    input,
    output,
    send: async (...lines: string[]) => {
      for (const line of lines) input.write(`${line}\n`);
      await turn();
      await turn();
    },
    wrote: () => {
      const text: unknown = output.read();
      return text instanceof Buffer ? text.toString().trim().split("\n") : [];
    },
  };
}

const PASS: ProxyDefinition = { name: "Pass", create: () => ({}) };

suite("stdio proxy", () => {
  for (const [spelled, envelope] of [
    ["proxy/initialize", "proxy/successor"],
    ["_proxy/initialize", "_proxy/successor"],
  ] as const) {
    test(`forwards ${spelled} as initialize, otherwise unchanged, in the conductor's spelling`, async () => {
      const { send, wrote } = onStreams(PASS);
      await send(
        `{"jsonrpc":"2.0","id":"x","method":"${spelled}","params":{"protocolVersion":1,"big":12345678901234567890}}`,
      );
      deepEqual(wrote(), [
        `{"jsonrpc":"2.0","id":1,"method":"${envelope}","params":{"method":"initialize","params":{"protocolVersion":1,"big":12345678901234567890}}}`,
      ]);
      await send('{"jsonrpc":"2.0","id":1,"result":{"big":12345678901234567890}}');
      deepEqual(wrote(), ['{"jsonrpc":"2.0","id":"x","result":{"big":12345678901234567890}}']);
    });
  }

  test("passes initialize and the content of envelopes to its interceptors", async () => {
    const seen: string[] = [];
    const { send, wrote } = onStreams({
      name: "Sees",
      create: () => ({
        fromClient: {
          requests: {
            initialize: async request => {
              seen.push(request.method);
              return { ...objectOr(await request.pass()), seen: true };
            },
          },
        },
        fromSuccessor: {
          notifications: {
            "session/update": note => {
              seen.push(note.method);
              note.pass({ n: 2 });
            },
          },
          requests: { "fs/read_text_file": () => ({ content: "x" }) },
        },
      }),
    });
    await send('{"jsonrpc":"2.0","id":0,"method":"proxy/initialize","params":{}}');
    wrote();
    await send('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}');
    deepEqual(wrote(), ['{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"seen":true}}']);
    await send(
      '{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/update","params":{"n":1}}}',
      '{"jsonrpc":"2.0","id":5,"method":"proxy/successor","params":{"method":"fs/read_text_file"}}',
    );
    deepEqual(wrote(), [
      '{"jsonrpc":"2.0","method":"session/update","params":{"n":2}}',
      '{"jsonrpc":"2.0","id":5,"result":{"content":"x"}}',
    ]);
    deepEqual(seen, ["initialize", "session/update"]);
  });

  test("ends with its input, closes its output and logs invalid lines", async () => {
    let closes = 0;
    const { input, output, send, warnings, served } = onStreams({
      name: "Ends",
      create: () => ({
        close: () => {
          closes++;
        },
      }),
    });
    await send("garbage");
    input.end();
    await once(output.resume(), "end");
    await served[Symbol.asyncDispose]();
    deepEqual([closes, warnings], [1, ["it is not JSON"]]);
  });
});

/**
 * Starts a proxy program. The test is its client, and in envelopes an agent that responds with `{protocolVersion: 1,
 * of: METHOD}`.
 */
function started(name: string, ...flags: string[]) {
  const child = spawn(
    process.execPath,
    [path.join(process.env.SYMPOSIUM_TEST_PROGRAMS!, `${name}.program.mjs`), ...flags],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const received: unknown[] = [],
    warnings: string[] = [],
    garbage: string[] = [];
  let lastWords = "";
  child.stderr.on("data", text => {
    lastWords += String(text);
  });
  const exited = once(child, "exit").then(([code]: unknown[]) => code);
  const peer = new Peer(ndjsonChannel(child.stdout, child.stdin, { garbage: line => garbage.push(line) }), {
    request: request => {
      const inner = objectOr(request.params);
      received.push([request.method, inner.method]);
      request.respond({ protocolVersion: 1, of: inner.method, params: inner.params });
    },
    notification: (method, params) => {
      received.push([method, params]);
    },
    closed: () => {},
    onWarning: what => warnings.push(what),
  });
  const ask = (method: string, params: unknown = { protocolVersion: 1 }) =>
    peer.request(method, params).catch((error: RpcError) => (error.code === -32601 ? "not found" : "gone"));
  return {
    peer,
    received,
    warnings,
    garbage,
    exited,
    ask,
    lastWords: () => lastWords,
    stop: async () => {
      await peer[Symbol.asyncDispose]();
      await exited;
    },
  };
}

const answer = (method: string) => ({ protocolVersion: 1, of: method, params: { protocolVersion: 1 } });

suite("proxy programs", () => {
  for (const name of ["pass-proxy", "rogue-proxy"])
    test(`forwards everything (${name})`, async () => {
      const { ask, peer, received, warnings, exited, stop } = started(name);
      deepEqual(await ask("proxy/initialize"), answer("initialize"));
      deepEqual(await ask("session/prompt"), answer("session/prompt"));
      peer.notify("proxy/successor", { method: "session/update", params: { n: 1 } });
      peer.notify("session/cancel", { n: 2 });
      await ask("last");
      deepEqual(received, [
        ["proxy/successor", "initialize"],
        ["proxy/successor", "session/prompt"],
        ["session/update", { n: 1 }],
        ["proxy/successor", { method: "session/cancel", params: { n: 2 } }],
        ["proxy/successor", "last"],
      ]);
      deepEqual(warnings, []);
      await stop();
      equal(await exited, 0);
    });

  test("adds a rule before a prompt and answers its own method (house-rules-proxy)", async () => {
    const { ask, stop, peer } = started("house-rules-proxy", "Answer", "in", "verse.");
    const prompted = objectOr(await ask("session/prompt", { sessionId: "s", prompt: [{ type: "text", text: "Hi" }] }));
    deepEqual(objectOr(prompted.params).prompt, [
      { type: "text", text: "Answer in verse." },
      { type: "text", text: "Hi" },
    ]);
    peer.notify("proxy/successor", {
      method: "session/update",
      params: { sessionId: "s", update: { sessionUpdate: "tool_call" } },
    });
    deepEqual(await ask("_house/toolCalls", { sessionId: "s" }), { count: 1 });
    await stop();
  });
});

suite("rogue proxy program", () => {
  const testExit = (flags: readonly string[], method: string, words: RegExp) =>
    test(`exits with ${flags.join(" ")}`, async () => {
      const { ask, exited, lastWords, received } = started("rogue-proxy", ...flags);
      equal(await ask(method), "gone");
      deepEqual(
        [await exited, words.test(lastWords()), received.length],
        [3, true, flags.includes("--die-after-forward") ? 1 : 0],
      );
    });
  testExit(["--die-on-initialize"], "proxy/initialize", /no licence was found/);
  testExit(["--die-after-forward"], "proxy/initialize", /it was too much/);
  testExit(["--die-on", "session/prompt"], "session/prompt", /session\/prompt came/);

  const testResponse = (
    flags: readonly string[],
    expected: unknown,
    forwarded: readonly unknown[],
    method = "proxy/initialize",
  ) =>
    test(`answers with ${flags.join(" ")}`, async () => {
      const { ask, received, stop } = started("rogue-proxy", ...flags);
      deepEqual(await ask(method), expected);
      deepEqual(received, forwarded);
      await stop();
    });
  testResponse(["--answer-without-forwarding"], { protocolVersion: 1, agentCapabilities: {} }, []);
  testResponse(["--change-version"], { ...answer("initialize"), protocolVersion: 99 }, [
    ["proxy/successor", "initialize"],
  ]);
  testResponse(["--not-a-proxy"], "not found", []);
  testResponse(["--not-a-proxy"], "not found", [], "_proxy/initialize");
  testResponse(["--old"], "not found", []);
  testResponse(["--old"], answer("initialize"), [["_proxy/successor", "initialize"]], "_proxy/initialize");
  testResponse(["--slow-initialize", "1"], answer("initialize"), [["proxy/successor", "initialize"]]);

  test("hangs at initialize with --hang-initialize and works otherwise", async () => {
    const { peer, ask, stop } = started("rogue-proxy", "--hang-initialize");
    let isAnswered = false;
    void peer
      .request("proxy/initialize", {})
      .catch(() => {})
      .finally(() => {
        isAnswered = true;
      });
    ok(isObject(await ask("session/prompt")));
    equal(isAnswered, false);
    await stop();
  });

  test("writes invalid lines with --garbage and --wrong-answer", async () => {
    const { ask, garbage, warnings, stop } = started("rogue-proxy", "--garbage", "--wrong-answer");
    deepEqual(await ask("proxy/initialize"), answer("initialize"));
    ok(isObject(await ask("session/prompt")));
    ok(garbage.length >= 2 && warnings.length >= 2, `${garbage.length} ${warnings.length}`);
    await stop();
  });
});
