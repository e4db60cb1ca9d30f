import { deepEqual, equal, ok } from "node:assert/strict";
import { channelListener, formatted, Log } from "./log";
import type { LogEvent, LogLevel } from "./protocol/wire/log";

suite("log", () => {
  test("sends every level to listeners and the configured ones to a lazily created channel", () => {
    const log = new Log();
    const received: string[] = [];
    const lines: string[] = [];
    let created = 0;
    log.onLog(event => received.push(event.level));
    log.onLog(
      channelListener(
        () => {
          created++;
          return { appendLine: line => lines.push(line) };
        },
        () => ({ logLevel: "warn", agentLogLevel: "warn" }),
      ),
    );
    log.debug("agent", "a");
    log.info("agent", "b");
    equal(created, 0);
    log.warn("agent", "c");
    log.error("agent", "d", { why: "e" });
    deepEqual(received, ["debug", "info", "warn", "error"]);
    deepEqual(
      lines.map(line => line.slice(25)),
      ["[warn] agent: c", '[error] agent: d {"why":"e"}'],
    );
  });

  test("filters messages about agents by their own level, which can change", () => {
    const log = new Log(),
      lines: string[] = [];
    let agentLogLevel: LogLevel = "debug";
    log.onLog(
      channelListener(
        () => ({ appendLine: line => lines.push(line.slice(25)) }),
        () => ({ logLevel: "warn", agentLogLevel }),
      ),
    );
    log.debug("agent", "stderr");
    log.debug("sidecar", "detail");
    agentLogLevel = "error";
    log.warn("agent", "an exit");
    log.warn("sidecar", "a failure");
    deepEqual(lines, ["[debug] agent: stderr", "[warn] sidecar: a failure"]);
  });

  test("sends nothing to a disposed listener", () => {
    const log = new Log();
    const received: LogEvent[] = [];
    log.onLog(event => received.push(event)).dispose();
    log.info("webview", "hello");
    deepEqual(received, []);
  });

  test("redacts secrets by name and format", () => {
    const log = new Log();
    const received: LogEvent[] = [];
    log.onLog(event => received.push(event));
    log.info("sidecar", "got Authorization: Bearer abcdefgh12345678 for sk-ant-0123456789abcdef", {
      apiKey: "one",
      env: { MY_TOKEN: "two", PATH: "/bin" },
      headers: { authorization: ["three"] },
      url: "https://me:four4@host/x",
      line: "OPENAI_API_KEY=five5555",
      sessionId: "kept",
      tabId: "kept",
    });
    const text = formatted(received[0]!);
    for (const secret of ["abcdefgh", "0123456789abcdef", 'one"', "two", "three", "four4", "five5555"])
      ok(!text.includes(secret), secret);
    ok(text.includes('"PATH":"…"') && text.includes('"sessionId":"kept"') && text.includes('"tabId":"kept"'));
  });

  test("bounds the length of a line", () => {
    const log = new Log();
    const received: LogEvent[] = [];
    log.onLog(event => received.push(event));
    const many = Array.from({ length: 200_000 }, (_, i) => `item ${i}`);
    const wide = Object.fromEntries(many.map(name => [name, 1]));
    const nested = Array.from({ length: 50 }, () =>
      Array.from({ length: 50 }, () => ["x".repeat(3_999), { [`${"n".repeat(5_000)}`]: 1 }]),
    );
    for (const data of [
      { many },
      wide,
      { wide },
      { nested },
      { numbers: Array(200_000).fill(1) },
      { empty: Array.from({ length: 200_000 }, () => ({})) },
    ])
      log.info("agent", "much", data);
    for (const event of received) ok(formatted(event).length < 40_000, String(formatted(event).length));
    ok(formatted(received[0]!).includes(`"item 99","… (199900 more)"`));
    log.info("agent", "few", { list: Array(90).fill("x") });
    deepEqual(received.at(-1)?.data, { list: Array(90).fill("x") });
  });

  test("truncates long or deep values and prints an error as its message", () => {
    const log = new Log();
    const received: LogEvent[] = [];
    log.onLog(event => received.push(event));
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    log.info("agent", "x".repeat(5_000), { circle, error: new Error("no"), big: 1n });
    ok(received[0]!.message.endsWith("(1000 more characters)"));
    ok(formatted(received[0]!).includes('"error":"no","big":"1"'));
  });
});
