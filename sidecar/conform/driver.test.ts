import { deepEqual, equal, ok } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { DEFAULT_LIMITS, Driver, type Limits } from "./driver";
import { exits } from "./rules/agent-initialize-rules";

interface Rig {
  readonly driver: Driver;
  readonly clock: FakeClock;
  readonly output: PassThrough;
  readonly exit: (status: string) => void;
  readonly stopped: () => boolean;
}

function rig(limits: Partial<Limits> = {}): Rig {
  const clock = new FakeClock(),
    input = new PassThrough().resume(),
    output = new PassThrough();
  let isStopped = false,
    exit: (status: string) => void = () => undefined;
  const exited = new Promise<string>(resolve => {
    exit = resolve;
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    exit("signal SIGKILL");
  };
  const driver = new Driver(
    { input, output, exited, stop },
    {
      scenario: "test",
      requested: 1,
      version: 1,
      clock,
      limits: { ...DEFAULT_LIMITS, ...limits },
      respond: () => undefined,
    },
  );
  return { driver, clock, output, exit, stopped: () => isStopped };
}

const kinds = ({ driver }: Rig): readonly string[] => driver.conversation.events.map(({ kind }) => kind);

suite("conformance driver", () => {
  test("records a missing response after the time limit", async () => {
    const it = rig(),
      response = it.driver.request("initialize", {}, "x");
    it.clock.advance(DEFAULT_LIMITS.responseMs);
    equal((await response).kind, "none");
    deepEqual(it.driver.conversation.events.at(-1), { kind: "noResponse", at: DEFAULT_LIMITS.responseMs, id: "x" });
    equal(it.clock.waiting, 0);
  });

  test("reads a line in chunks split within a character", async () => {
    const it = rig(),
      line = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"é"}\n`),
      at = line.indexOf("é") + 1;
    const response = it.driver.request("m", {}, 1);
    it.output.write(line.subarray(0, at));
    it.output.write(line.subarray(at));
    deepEqual(await response, { kind: "result", result: "é" });
  });

  test("distinguishes string ids from numbers", async () => {
    const it = rig(),
      text = it.driver.request("m", {}, "1"),
      number = it.driver.request("m", {}, 1);
    it.output.write(`{"jsonrpc":"2.0","id":1,"result":"number"}\n{"jsonrpc":"2.0","id":"1","error":"text"}\n`);
    deepEqual(
      [await text, await number],
      [
        { kind: "error", error: "text" },
        { kind: "result", result: "number" },
      ],
    );
  });

  test("settles all waiting calls when the program exits", async () => {
    const it = rig(),
      waits = [it.driver.request("m", {}), it.driver.until(() => false)];
    it.exit("exit code 1");
    it.output.end();
    it.output.resume();
    deepEqual(await Promise.all(waits), [{ kind: "none" }, false]);
    ok(kinds(it).includes("exited"));
    equal((await it.driver.request("m", {})).kind, "none");
  });

  test("stops a program that exceeds the output limit", async () => {
    const it = rig({ outputBytes: 1000 }),
      response = it.driver.request("m", {});
    it.output.write("x".repeat(2000));
    equal((await response).kind, "none");
    ok(it.stopped() && kinds(it).includes("tooMuchOutput"));
  });

  test("does not record the line at which it stopped the program", async () => {
    const flooding = rig({ outputBytes: 1000 });
    flooding.output.write(`{"jsonrpc":"2.0",`);
    flooding.output.write("x".repeat(2000));
    await flooding.driver.end();
    const running = rig(),
      ended = running.driver.end();
    running.output.write(`{"jsonrpc":"2.0",`);
    running.clock.advance(DEFAULT_LIMITS.exitMs);
    await ended;
    deepEqual([kinds(flooding), kinds(running)], [["tooMuchOutput"], ["inputClosed", "stillRunning"]]);
    deepEqual(exits(flooding.driver.conversation), {
      kind: "fail",
      why: "The kit stopped the program, because it wrote more than 1000 bytes.",
    });
  });

  test("records a last line without a newline", async () => {
    const it = rig();
    it.output.end(`{"jsonrpc":"2.0","method":"m"}`);
    it.exit("exit code 0");
    await it.driver.exited();
    await it.driver.end();
    ok(kinds(it).includes("line"));
  });

  test("stops a program that does not exit after its stdin closed", async () => {
    const it = rig(),
      ended = it.driver.end();
    it.clock.advance(DEFAULT_LIMITS.exitMs);
    const { events } = await ended;
    deepEqual(events, [
      { kind: "inputClosed", at: 0 },
      { kind: "stillRunning", at: 5000, afterMs: 5000 },
    ]);
    ok(it.stopped());
  });
});
