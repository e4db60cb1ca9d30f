/**
 * No orphaned processes after any kill. The agent ignores the end of stdin and SIGTERM and has children inside and
 * outside its process group. The census uses `SYMPOSIUM_RUN_ID`, which all descendants of an agent inherit.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { leftovers, sendPrompt, turnEnded, type Box } from "./harness";
import { newTab, openScripted, processesOf, scripted, seen, showsText } from "./scripted";

const STUBBORN = ["--ignore-sigterm", "--ignore-stdin-end", "--with-child", "--setsid-child"];
/** Time limit for a slow machine. */
const LIMIT_MS = 60_000;

suite("orphaned process", function () {
  this.timeout(timeLimit(400_000));
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted({ settings: scripted(STUBBORN), env: { SYMPOSIUM_TEST: "orphans" } });
    await box.open();
  });
  suiteTeardown(() => box.close());

  /** The run id of an agent that has answered in a new tab. It and its two children carry this id. */
  async function running(): Promise<string> {
    await newTab(box);
    await sendPrompt(box.frame, "say here I am");
    await turnEnded(box.frame);
    const pid = processesOf(box, "scripted-agent").at(-1);
    assert.ok(pid !== undefined, "the agent runs");
    const run = /SYMPOSIUM_RUN_ID=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, "latin1"))?.[1];
    assert.ok(run !== undefined, "the agent has a run id");
    await seen(
      async () => (await leftovers(`SYMPOSIUM_RUN_ID=${run}`, 0)).length === 3,
      "the agent and its two children",
    );
    return run;
  }

  const gone = async (run: string): Promise<void> =>
    assert.deepEqual(await leftovers(`SYMPOSIUM_RUN_ID=${run}`, LIMIT_MS), []);

  function kill(...programs: readonly string[]): void {
    const pids = programs.flatMap(program => processesOf(box, program));
    assert.ok(pids.length >= programs.length, `not all of these run: ${programs.join(", ")}`);
    for (const pid of pids) process.kill(pid, "SIGKILL");
  }

  test("is absent after the sidecar or the extension host is killed", async () => {
    const run = await running();
    kill("sidecar.js serve");
    await gone(run);
    await showsText(box.frame, /does not remember the conversation above/);

    const next = await running();
    kill("--type=extensionHost");
    await gone(next);
  });

  test("is absent after the next start when both are killed, and after the window closes", async () => {
    await box.reload();
    await box.open();
    const run = await running();
    kill("sidecar.js serve", "--type=extensionHost");
    await box.reload();
    await box.open();
    await sendPrompt(box.frame, "say again");
    await turnEnded(box.frame);
    await gone(run);

    const last = await running();
    await box.page.goto("about:blank");
    await gone(last);
    await seen(async () => processesOf(box, "sidecar.js serve").length === 0, "the end of the sidecar");
  });
});
