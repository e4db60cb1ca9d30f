import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentError } from "../errors";
import type { Clock } from "../rpc/clock";
import { census } from "../testing/census";
import { temporaryFolder } from "../testing/drive";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { hurriedClock } from "../testing/accelerated-clock";
import { NEEDS_PROC, skipped } from "../testing/skipped";
import { openLedger } from "./process-ledger";
import type { ProcessSpec } from "./stdio-process";
import { newRun } from "./run-id";
import { runTool, ToolSilent, type ToolOptions, type ToolResult } from "./tool-run";

const never = new AbortController().signal;
const node = (code: string): ProcessSpec => ({
  name: "a tool",
  command: process.execPath,
  args: ["-e", code],
  env: {},
  cwd: process.cwd(),
});
/** Starts a process that leaves the group. Both ignore SIGTERM. */
const STUBBORN = `process.on("SIGTERM",()=>{});require("child_process").spawn(process.execPath,["-e","process.on('SIGTERM',()=>{});setInterval(()=>{},1e3)"],{detached:true,stdio:"ignore"});console.log("running");setInterval(()=>{},1e3)`;

class Fixture implements Disposable {
  readonly run = newRun();
  readonly reported: string[] = [];
  readonly #folder = temporaryFolder();
  readonly #ledger = openLedger(this.#folder.path, this.run);
  /** Number of searches in the process table. */
  searches = 0;

  constructor() {
    const end = this.#ledger.end.bind(this.#ledger);
    this.#ledger.end = (record, how) => {
      this.searches++;
      return end(record, how);
    };
  }
  tool(spec: ProcessSpec, options: Partial<ToolOptions> = {}, clock: Clock = hurriedClock(1)): Promise<ToolResult> {
    return runTool(
      spec,
      { signal: never, ...options },
      {
        clock,
        ledger: this.#ledger,
        log: () => undefined,
        report: { started: () => this.reported.push("started"), ended: () => this.reported.push("ended") },
      },
    );
  }
  [Symbol.dispose](): void {
    this.#ledger.close();
    this.#folder[Symbol.dispose]();
  }
}

suite("tool process", () => {
  test("runs to its end with an empty stdin and a ledger entry", async () => {
    using fixture = new Fixture();
    const { exit, stdout, stderr } = await fixture.tool(
      node("process.stdin.on('end',()=>{console.log('out');console.error('err');process.exitCode=3}).resume()"),
    );
    deepEqual(
      [exit, stdout, stderr, fixture.reported],
      [{ code: 3, signal: null }, "out\n", "err\n", ["started", "ended"]],
    );
  });

  test("reports lines without colours, split at carriage returns and truncated", async () => {
    using fixture = new Fixture();
    const lines: string[] = [];
    await fixture.tool(
      node(
        String.raw`process.stdout.write("\x1b[32mgreen\x1b[0m\n10%\r20%\r\n\n\x1b]0;title\x07\u0007bell\n" + "x".repeat(5000) + "\nlast")`,
      ),
      {
        line: line => {
          lines.push(line);
        },
      },
    );
    deepEqual(lines, ["green", "10%", "20%", "bell", "x".repeat(300), "last"]);
  });

  test("keeps the end of its output", async () => {
    using fixture = new Fixture();
    const { stdout } = await fixture.tool(node("for(let i=0;i<50000;i++)console.log('line '+i)"));
    ok(stdout.length <= 64 * 1024);
    match(stdout, /line 49999\n$/);
  });

  test("is followed by a search for its children, unless it starts none", async () => {
    using fixture = new Fixture();
    await fixture.tool({ ...node(""), isAlone: true });
    equal(fixture.searches, 0);
    await fixture.tool(node(""));
    equal(fixture.searches, 1);
    deepEqual(fixture.reported, ["started", "ended", "started", "ended"]);
  });

  test("rejects with an AgentError if it cannot start", async () => {
    using fixture = new Fixture();
    await rejects(
      fixture.tool({ ...node(""), command: "/no/such/tool" }),
      error => error instanceof AgentError && error.code === "notFound",
    );
  });

  test("rejects only after it and its children exited when it is cancelled", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    using fixture = new Fixture();
    const ending = new AbortController(),
      why = new Error("enough");
    let alive = 0;
    await rejects(
      fixture.tool(node(STUBBORN), {
        signal: ending.signal,
        line: () => {
          alive = census(fixture.run).length;
          ending.abort(why);
        },
      }),
      error => error === why,
    );
    deepEqual([alive, census(fixture.run), fixture.reported], [2, [], ["started", "ended"]]);
  });

  test("resolves only after its remaining children exited", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    using fixture = new Fixture();
    const left = `const c=require("child_process").spawn(process.execPath,["-e","process.on('SIGTERM',()=>{});console.log(1);setInterval(()=>{},1e3)"],{stdio:["ignore","pipe","ignore"]});c.stdout.once("data",()=>process.exit(0))`;
    equal((await fixture.tool(node(left))).exit.code, 0);
    deepEqual(census(fixture.run), []);
  });

  test("is not started if already cancelled", async () => {
    using fixture = new Fixture();
    const why = new Error("enough");
    await rejects(fixture.tool(node(""), { signal: AbortSignal.abort(why) }), error => error === why);
    deepEqual(fixture.reported, []);
  });

  test("times out after ten minutes without output", async () => {
    using fixture = new Fixture();
    const silence = new FakeClock(),
      otherClock = hurriedClock(1);
    const clock: Clock = {
      now: () => silence.now(),
      after: (ms, expired) => (ms > 60_000 ? silence.after(ms, expired) : otherClock.after(ms, expired)),
    };
    const lines: string[] = [];
    await rejects(
      fixture.tool(
        node("console.log(1);process.stdin.resume();setInterval(()=>{},1e3)"),
        {
          line: line => {
            lines.push(line);
            setImmediate(() => {
              silence.advance(9 * 60_000);
              silence.advance(60_001);
            });
          },
        },
        clock,
      ),
      error => error instanceof ToolSilent && error.minutes === 10,
    );
    deepEqual([lines, silence.waiting], [["1"], 0]);
  });

  test("keeps running without output while it uses the CPU", async () => {
    using fixture = new Fixture();
    const silence = new FakeClock(),
      otherClock = hurriedClock(1);
    const clock: Clock = {
      now: () => silence.now(),
      after: (ms, expired) => (ms > 60_000 ? silence.after(ms, expired) : otherClock.after(ms, expired)),
    };
    const measured: number[] = [],
      left = [600, 1200, 1800, 1800];
    const pass = (): void => void setImmediate(() => silence.advance(600_000));
    await rejects(
      fixture.tool(
        node("console.log(1);setInterval(()=>{},1e3)"),
        {
          line: pass,
          cpuSeconds: async group => {
            measured.push(group);
            setImmediate(pass);
            return left.shift();
          },
        },
        clock,
      ),
      error => error instanceof ToolSilent,
    );
    deepEqual([measured.length, new Set(measured).size, left, silence.waiting], [4, 1, [], 0]);
  });

  test("keeps running while it writes output in time", async () => {
    using fixture = new Fixture();
    const silence = new FakeClock(),
      otherClock = hurriedClock(1);
    const clock: Clock = {
      now: () => silence.now(),
      after: (ms, expired) => (ms > 60_000 ? silence.after(ms, expired) : otherClock.after(ms, expired)),
    };
    silence.advance(1);
    // Lines are nine minutes apart. The tool sends a request after each line; the test responds when the line has
    // arrived.
    const asked: ServerResponse[] = [];
    let received = 0;
    const answer = (): void => {
      if (received > 0) {
        const response = asked.shift();
        if (response) {
          received--;
          response.end();
        }
      }
    };
    const server = createServer((_, response) => {
      asked.push(response);
      answer();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const code = `const {get}=require("http");let n=0;const next=()=>{console.log(++n);if(n<4)get({port:${port},host:"127.0.0.1",agent:false},r=>r.resume().on("end",next))};next()`;
    const { exit, stdout } = await fixture.tool(
      node(code),
      {
        line: () => {
          silence.advance(9 * 60_000);
          received++;
          answer();
        },
      },
      clock,
    );
    server.close();
    deepEqual([exit.code, stdout], [0, "1\n2\n3\n4\n"]);
  });
});
