/**
 * Chains in memory whose connections are byte streams, as between processes. Proxies of the kit run on pipes. At both
 * ends, a test writes and reads lines without `sidecar/rpc`.
 */
import { PassThrough, Transform, type Duplex, type Readable, type Writable } from "node:stream";
import { conduct, type Conductor, type ConductorOptions } from "../../conductor/conductor";
import type { LastComponent, Notice, ProxyComponent, Running } from "../../conductor/component";
import { serveProxyOnStdio } from "../../proxies/stdio";
import { serveProxy } from "../../proxies/serve-proxy";
import type { ProxyDefinition } from "../../proxies/proxy";
import { ndjsonChannel } from "../../rpc/ndjson-channel";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";

/** Splits the bytes written to a pipe. Undefined leaves the splitting to the stream. */
export type Cut = (bytes: Buffer) => Iterable<Buffer>;

export const pieces = (size: number): Cut =>
  function* (bytes) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };

/** Ends lines as on Windows, with the `\r` in a separate chunk. */
export const returns: Cut = function* (bytes) {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf("\n", start),
      end = newline === -1 ? bytes.length : newline;
    if (end > start) yield bytes.subarray(start, end);
    if (newline !== -1) yield* [Buffer.from("\r"), Buffer.from("\n")];
    start = end + 1;
  }
};

export function pipe(cut?: Cut): Duplex {
  if (!cut) return new PassThrough();
  // Object mode, because a byte stream would join the pieces again.
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _, done) {
      for (const piece of cut(chunk)) this.push(Buffer.from(piece));
      done();
    },
  });
}

/** Creates a connection and returns both ends. */
export function pipes(
  cut?: Cut,
): readonly [
  { readonly input: Readable; readonly output: Writable },
  { readonly input: Readable; readonly output: Writable },
] {
  const forward = pipe(cut),
    backward = pipe(cut);
  return [
    { input: backward, output: forward },
    { input: forward, output: backward },
  ];
}

export const PASS: ProxyDefinition = { name: "Pass", create: () => ({}) };

/** Proxy of the kit that runs like a program, on streams and with envelopes. */
export function wiredProxy(
  name: string,
  definition: ProxyDefinition = PASS,
  cut?: Cut,
): Extract<ProxyComponent, { kind: "external" }> {
  return {
    kind: "external",
    name,
    start: () => {
      const [nearEnd, farEnd] = pipes(cut),
        channel = ndjsonChannel(nearEnd.input, nearEnd.output);
      const served = serveProxyOnStdio(definition, { ...farEnd, onWarning: () => undefined });
      return {
        channel,
        lastWords: () => "",
        stop: async () => {
          await channel[Symbol.asyncDispose]();
          await served[Symbol.asyncDispose]();
        },
      };
    },
  };
}

export function internalProxy(name: string, definition: ProxyDefinition = PASS): ProxyComponent {
  return { kind: "internal", name, serve: (up, down, ids) => serveProxy(definition, up, down, ids) };
}

/** Conductor without an agent that runs as a proxy of another conductor, which is its successor. */
export function nestedConductor(
  name: string,
  proxies: readonly ProxyComponent[],
  cut?: Cut,
): Extract<ProxyComponent, { kind: "external" }> {
  return {
    kind: "external",
    name,
    start: () => {
      const [nearEnd, farEnd] = pipes(cut),
        channel = ndjsonChannel(nearEnd.input, nearEnd.output);
      const conductor = conduct(ndjsonChannel(farEnd.input, farEnd.output), {
        proxies,
        last: { kind: "successor" },
        clock: new FakeClock(),
        notice: () => undefined,
        onWarning: () => undefined,
      });
      return {
        channel,
        lastWords: () => "",
        stop: async () => {
          await channel[Symbol.asyncDispose]();
          await conductor[Symbol.asyncDispose]();
        },
      };
    },
  };
}

/** One end of a connection, as lines. */
export class LineEnd {
  readonly lines: string[] = [];
  #incomplete = "";
  #waiting: (() => void)[] = [];

  constructor(
    readonly input: Readable,
    readonly output: Writable,
  ) {
    let decode = new TextDecoder();
    input
      .on("data", (chunk: Buffer) => {
        const parts = (this.#incomplete + decode.decode(chunk, { stream: true })).split("\n");
        this.#incomplete = parts.pop() ?? "";
        this.lines.push(...parts.map(part => part.replace(/\r$/, "")));
        if (parts.length > 0) for (const wake of this.#waiting.splice(0)) wake();
      })
      .on("end", () => {
        decode = new TextDecoder();
        for (const wake of this.#waiting.splice(0)) wake();
      });
    output.on("error", () => undefined);
  }

  /** Writes a line as text, so that a test controls every byte. */
  report(text: string): void {
    this.output.write(`${text}\n`);
  }

  /** Resolves with line `n`, counted from 0. */
  async line(n: number): Promise<string> {
    for (let line = this.lines[n]; ; line = this.lines[n]) {
      if (line !== undefined) return line;
      if (this.input.readableEnded) throw new Error(`the connection has ended after ${this.lines.length} lines`);
      await new Promise<void>(resolve => this.#waiting.push(resolve));
    }
  }
}

export interface WiredChain extends AsyncDisposable {
  readonly client: LineEnd;
  readonly agent: LineEnd;
  readonly conductor: Conductor;
  readonly notices: Notice[];
  readonly warnings: string[];
}

/** Opens a chain and initializes it, so the first line of both ends is `initialize`. */
export async function wiredChain(
  proxies: readonly ProxyComponent[],
  cut?: Cut,
  options: Partial<ConductorOptions> = {},
): Promise<WiredChain> {
  const [nearEnd, farEnd] = pipes(cut),
    [agents, agent] = pipes(cut),
    notices: Notice[] = [],
    warnings: string[] = [];
  const client = new LineEnd(nearEnd.input, nearEnd.output),
    last = new LineEnd(agent.input, agent.output);
  const conductor = conduct(ndjsonChannel(farEnd.input, farEnd.output), {
    proxies,
    last: endingIn(agents),
    clock: new FakeClock(),
    notice: notice => notices.push(notice),
    onWarning: (message, detail) => warnings.push(`${message}: ${String(detail)}`),
    ...options,
  });
  client.report('{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":1}}');
  const { id } = JSON.parse(await last.line(0)) as { id: unknown };
  last.report(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } }));
  await client.line(0);
  return {
    client,
    agent: last,
    conductor,
    notices,
    warnings,
    [Symbol.asyncDispose]: () => conductor[Symbol.asyncDispose](),
  };
}

export function endingIn({ input, output }: { readonly input: Readable; readonly output: Writable }): LastComponent {
  return {
    kind: "agent",
    name: "agent",
    start: (): Running => {
      const channel = ndjsonChannel(input, output);
      return {
        channel,
        lastWords: () => "",
        stop: async () => {
          await channel[Symbol.asyncDispose]();
        },
      };
    },
  };
}
