/**
 * Checks that each event is shown once and in order, with the production delivery code of all three programs. Random
 * events hide, show and reload the page, drop and repeat messages, and kill and restart programs. Also measures the
 * cost of a page or a host that does not read.
 */
import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { BATCH_MS } from "../sidecar/chat/outbox";
import { LIMIT } from "../src/chat/page-flow-control";
import { SILENCE_MS } from "../webview/state/page-requests";
import { begin, create, move } from "./delivery/random-events";
import { drained } from "./delivery/clock-and-marks";
import { Fixture } from "./delivery/fixture";
import { propertyRuns } from "../src/protocol/testing/property-runs";

/** For longer runs: SYMPOSIUM_RUNS=100000 npm run hunt -- 10 test/delivery */
const WANTED = process.env["SYMPOSIUM_RUNS"],
  RUNS = propertyRuns(10_000);
/** Time limit of all runs. A slow machine reports fewer runs, and fewer than `MIN_RUNS` fail the test. */
const MAX_MS = 300_000,
  MIN_RUNS = Math.min(RUNS, 1_000);
/** Time limit of one run, which normally takes a few milliseconds, to detect a hang. */
const HANGS_MS = 60_000;

suite("delivery from page to sidecar", () => {
  test(`shows everything once in order after ${RUNS} random runs of drops, reloads and kills`, async function () {
    this.timeout(0); // a mocha timeout would not print the seed, unlike the limits above
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { maxLength: 40, size: "max" }),
        fc.constantFrom(3, 1_000),
        async (moves, congestedAt) => {
          const fixture = new Fixture(congestedAt);
          await begin(fixture);
          for (const m of moves) {
            await create(fixture, m);
            await drained();
          }
          const { asked } = fixture.webview;
          await fixture.finish();
          ok(asked <= 10 + 2 * moves.length, `the page asked ${asked} times in ${moves.length} moves`);
          runs++;
        },
      ),
      { numRuns: RUNS, timeout: HANGS_MS, ...(WANTED === undefined ? { interruptAfterTimeLimit: MAX_MS } : {}) },
    );
    ok(runs >= MIN_RUNS, `only ${runs} times in ${MAX_MS} ms`);
    if (this.test && runs < RUNS) this.test.title += ` (${runs} times, then the time was over)`;
  });

  test("keeps a repeated prompt in the queue of a killed sidecar and sends it once", async () => {
    const fixture = new Fixture(1_000);
    await begin(fixture);
    fixture.user.prompt(1);
    fixture.repeat("toHost", 0, 1);
    await fixture.deliver("toHost", 1);
    await fixture.deliver("toSidecar", 1);
    await fixture.tick(BATCH_MS);
    await fixture.deliver("fromSidecar", 10);
    await fixture.deliver("toPage", 10);
    const waiting = () =>
      [...(fixture.webview.page?.state.tabs.values() ?? [])].map(
        ({ conversation: { queue }, drafts: { onTheWay } }) => [queue?.prompts.length ?? 0, onTheWay.length],
      );
    deepEqual(
      [waiting(), fixture.webview.toHost.length > 0],
      [
        [
          [0, 0],
          [1, 0],
        ],
        true,
      ],
    );
    await fixture.kill(0);
    await fixture.finish();
  });

  test("sends a prompt that waits for a sidecar when the window is reloaded", async () => {
    const fixture = new Fixture(3);
    await begin(fixture);
    await fixture.kill(0);
    fixture.user.prompt(0);
    await fixture.flow(1);
    await fixture.reloadPage();
    await drained();
    await fixture.finish();
  });

  test("shows a prompt once that was sent before an exit of the sidecar and stopped during its restart", async () => {
    const fixture = new Fixture(1_000);
    await begin(fixture);
    fixture.user.prompt(0);
    await fixture.kill(0);
    await fixture.flow(1);
    fixture.user.stop(0);
    await fixture.finish();
  });

  test("recovers dropped messages with the next message", async () => {
    const fixture = new Fixture(1_000);
    await begin(fixture);
    await streamText(fixture);
    fixture.drop(0, 1_000);
    await streamText(fixture);
    ok((await fixture.finish()) <= SOON_MS);
  });

  test("recovers a dropped end of a turn", async () => {
    const fixture = new Fixture(1_000);
    await begin(fixture);
    fixture.endTurn(0);
    fixture.endTurn(1);
    await drained();
    await fixture.tick(BATCH_MS);
    await fixture.deliver("fromSidecar", 1_000);
    fixture.drop(0, 1_000);
    const took = await fixture.finish();
    ok(took >= SILENCE_MS - 500 && took <= SILENCE_MS + 1_000, `after ${took} ms`);
  });

  test("bounds the buffer for a slow page, which recovers", async () => {
    const fixture = new Fixture(1_000);
    await begin(fixture);
    let maxLength = 0;
    for (let frame = 0; frame < 100; frame++) {
      await streamUnbatchable(fixture);
      maxLength = Math.max(maxLength, fixture.webview.toPage.length);
    }
    ok(maxLength > LIMIT - 10 && maxLength <= LIMIT, `${maxLength} messages waited`);
    ok((await fixture.finish()) <= SOON_MS);
  });

  test("bounds the buffer for a slow host, which recovers", async () => {
    const fixture = new Fixture(100);
    await begin(fixture);
    let maxLength = 0;
    for (let frame = 0; frame < 100; frame++) {
      await streamUnbatchable(fixture, "wait");
      maxLength = Math.max(maxLength, fixture.sidecar?.toHost.length ?? 0);
    }
    ok(maxLength >= 100 && maxLength <= 200, `${maxLength} messages waited`);
    ok((await fixture.finish()) <= SOON_MS);
  });
});

/** Less than `SILENCE_MS`, after which the page checks a silent turn. */
const SOON_MS = 500;

async function streamText(fixture: Fixture): Promise<void> {
  fixture.report(0, 1);
  fixture.report(1, 1);
  await drained();
  await fixture.tick(BATCH_MS);
  await fixture.deliver("fromSidecar", 1_000);
}

/** A frame with many events that cannot be batched. */
async function streamUnbatchable(fixture: Fixture, then: "deliver" | "wait" = "deliver"): Promise<void> {
  fixture.tool(0, "begin");
  fixture.tool(0, "begin");
  for (let i = 0; i < 20; i++) fixture.tool(0, i % 2 === 0 ? "change" : "end");
  await drained();
  await fixture.tick(BATCH_MS);
  if (then === "deliver") await fixture.deliver("fromSidecar", 1_000);
}
