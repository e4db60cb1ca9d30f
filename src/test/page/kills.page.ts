/**
 * Rounds of kills and reloads in a real VS Code, while the agent writes, a prompt is queued and a draft is typed. A
 * round is clean if all content on the screen is kept and the next prompt is answered. `npm test` runs the rounds in
 * which content was once lost. `npm run test:crash` runs any number. The table of all rounds is in
 * `out/screenshots/kills.txt`.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { seed } from "../../../scripts/seed.mjs";
import { ROOT, sendPrompt, type Box } from "./harness";
import { input } from "./prompt-steps";
import {
  newTab,
  numberedWords,
  openPanel,
  openScripted,
  processesOf,
  reloadWebviews,
  seen,
  shownText,
} from "./scripted";

const KINDS = ["agent", "sidecar", "extensionHost", "webviews", "page"] as const;
type Kind = (typeof KINDS)[number];

/**
 * The time of Enter after the sidecar is killed: immediately, when the page shows the interruption, or when the next
 * sidecar runs.
 */
const MOMENTS = ["atOnce", "interrupted", "restarted"] as const;
const RESTARTED = "Symposium was restarted",
  REOPENED = "The session was reopened";
/** Texts of the page. A slow page may never draw the first state. */
const STATE_TEXTS = {
  interrupted: ["sidecar is restarting", RESTARTED, REOPENED],
  restarted: [RESTARTED, REOPENED],
} as const;

interface Round {
  readonly kind: Kind;
  /** Words of the answer on the screen before the kill, one every 40 ms. */
  readonly words: number;
  readonly queued: boolean;
  readonly draft: boolean;
  /** Frames between the last key and the kill. */
  readonly frames: number;
  readonly enter: (typeof MOMENTS)[number];
}

const STREAM = "stream 220 chunks of 5 chars every 40 ms";
/** Maximum number of kills: the supervisor gives up after the fifth exit in three minutes. */
const MAX_SIDECAR_EXITS = 4;

const WANTED = Number(process.env["SYMPOSIUM_KILLS"] ?? 0);
/** A user reloads the page if the extension host does not restart in this time. */
const HOST_RESTART_MS = WANTED > 0 ? 15_000 : 1_000;

/** All kinds in turn. */
function randomRounds(count: number): readonly Round[] {
  const round = (kind: Kind): fc.Arbitrary<Round> =>
    fc.record({
      kind: fc.constant(kind),
      words: fc.integer({ min: 6, max: 60 }),
      queued: fc.boolean(),
      draft: fc.boolean(),
      frames: fc.constantFrom(0, 1, 3, 12),
      enter: fc.constantFrom(...MOMENTS),
    });
  const inTurn = Array.from({ length: count }, (_, i) => round(KINDS[i % KINDS.length] ?? "page"));
  return fc.sample(fc.tuple(...inTurn), { seed, numRuns: 1 })[0] ?? [];
}

const LOSSES: readonly Round[] = [
  { kind: "sidecar", words: 12, queued: true, draft: false, frames: 0, enter: "interrupted" },
  { kind: "page", words: 30, queued: true, draft: true, frames: 1, enter: "atOnce" },
  { kind: "extensionHost", words: 20, queued: true, draft: true, frames: 3, enter: "atOnce" },
];

function titleOf({ kind, words, queued, draft, enter }: Round): string {
  const typed = [queued && "a queued prompt", draft && "a draft", kind === "sidecar" && `Enter ${enter}`];
  const parts = [`${kind} at word ${words}`, ...typed];
  return parts.filter(Boolean).join(", ");
}

suite("kills and reloads", () => {
  let box: Box;
  let sidecarExits = 0;
  const played: { readonly kind: Kind; readonly line: string; readonly isClean: boolean }[] = [];
  suiteSetup(async () => {
    box = await openScripted({ env: { SYMPOSIUM_TEST: "kills" } });
    await box.open();
  });
  suiteTeardown(() => box.close());
  teardown(() => {
    const sums = KINDS.flatMap(kind => {
      const rounds = played.filter(each => each.kind === kind),
        clean = rounds.filter(({ isClean }) => isClean);
      return rounds.length === 0 ? [] : [`${kind.padEnd(14)} ${clean.length} of ${rounds.length} clean`];
    });
    const lines = [`SYMPOSIUM_SEED=${seed}`, ...played.map(({ line }) => line), "", ...sums, ""];
    const folder = path.join(ROOT, "out/screenshots");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "kills.txt"), lines.join("\n"));
  });

  const pageOf = (how: string) => box.frame.locator(`body[data-ready=true]${how}`);
  const typed = async (): Promise<string> =>
    (
      await input(box.frame)
        .innerText()
        .catch(() => "")
    ).trim();
  async function queue(): Promise<string> {
    await openPanel(box, "queue").catch(() => undefined);
    return (
      await box.frame
        .locator(".symposium-queued:visible")
        .allInnerTexts()
        .catch(() => [])
    ).join("\n");
  }
  /** The visible content of the selected tab. */
  async function everything(): Promise<string> {
    return [await shownText(box.frame).catch(() => ""), await queue(), await typed()].join("\n");
  }

  async function type(text: string): Promise<void> {
    await input(box.frame).click();
    await box.page.keyboard.type(text);
  }

  function kill(program: string): void {
    const pids = processesOf(box, program);
    assert.ok(pids.length > 0, `${program} does not run`);
    for (const pid of pids) process.kill(pid, "SIGKILL");
  }

  async function strike(kind: Kind): Promise<void> {
    switch (kind) {
      case "agent":
        return kill("scripted-agent.program");
      case "sidecar":
        return kill("sidecar.js serve");
      case "webviews":
        return reloadWebviews(box);
      case "page":
        return box.reload();
      case "extensionHost": {
        await pageOf("").evaluate(body => {
          body.dataset["old"] = "true";
        });
        kill("--type=extensionHost");
        const restarted = pageOf(":not([data-old])").waitFor({ state: "attached", timeout: HOST_RESTART_MS });
        if (
          !(await restarted.then(
            () => true,
            () => false,
          ))
        )
          await box.reload();
      }
    }
  }

  /** Watches for one of these texts inside the page, so that a briefly shown text is not missed. */
  async function watch(texts: readonly string[]): Promise<() => Promise<void>> {
    const body = pageOf("");
    await body.evaluate((root, texts) => {
      Object.assign(window, {
        symposiumSeen: new Promise<void>(resolve => {
          new MutationObserver((_, observer) => {
            if (!texts.some(text => root.textContent.includes(text))) return;
            observer.disconnect();
            resolve();
          }).observe(root, { subtree: true, childList: true, characterData: true });
        }),
      });
    }, texts);
    return () => body.evaluate(() => ("symposiumSeen" in window ? (window.symposiumSeen as Promise<void>) : undefined));
  }

  /** Kills while `next` is being typed, and presses Enter at that moment. */
  async function enterInterrupted(moment: Round["enter"], next: string): Promise<void> {
    if (sidecarExits++ >= MAX_SIDECAR_EXITS) throw new Error("The supervisor has given up.");
    await type(next);
    const shown = moment === "atOnce" ? undefined : await watch(STATE_TEXTS[moment]);
    await strike("sidecar");
    await shown?.();
    await box.page.keyboard.press("Enter");
  }

  /** Kills, and waits until the page shows the current state. */
  async function interrupt(kind: Kind): Promise<void> {
    await strike(kind);
    if (kind === "page" || kind === "extensionHost") {
      sidecarExits = 0;
      await box.open();
    }
    await seen(
      async () =>
        (await pageOf("")
          .count()
          .catch(() => 0)) === 1,
      "a page that shows how things are",
    );
  }

  /** Returns the lost content. */
  async function play(n: number, { kind, words, queued, draft, frames, enter }: Round): Promise<readonly string[]> {
    if (kind === "sidecar" && sidecarExits >= MAX_SIDECAR_EXITS) await interrupt("page");
    await newTab(box);
    await sendPrompt(box.frame, STREAM);
    if (queued) {
      await type(`say queued-${n}`);
      await box.page.keyboard.press("Enter");
      await seen(async () => (await queue()).includes(`queued-${n}`), "the prompt in the queue");
    }
    await seen(async () => (await numberedWords(box.frame)).length >= words, `${words} words`);
    if (draft) await type(`say draft-${n} `);
    await box.page.evaluate(async remaining => {
      while (remaining-- > 0) await new Promise(requestAnimationFrame);
    }, frames);
    // The last word may be incomplete.
    const before = (await numberedWords(box.frame)).slice(0, -1),
      next = `next-${n}`,
      lost: string[] = [];
    const check = (what: string, isThere: boolean): void => {
      if (!isThere) lost.push(what);
    };
    if (kind === "sidecar") await enterInterrupted(enter, draft ? next : `say ${next}`);
    else {
      await interrupt(kind);
      // The sidecar's journal is the only copy: the content returns with the first snapshot.
      const isBack = async (): Promise<boolean> => {
        const [words, shown] = [await numberedWords(box.frame), await everything()];
        return before.every((word, i) => words[i] === word) && (!queued || shown.includes(`queued-${n}`));
      };
      await seen(isBack, "the content before the kill").catch(() => undefined);
      const shown = await everything();
      if (queued) check("the queued prompt", shown.includes(`queued-${n}`));
      if (draft) check("the draft", shown.includes(`draft-${n}`));
      await type((await typed()) === "" ? `say ${next}` : ` ${next}`);
      await box.page.keyboard.press("Enter");
    }
    const after = await numberedWords(box.frame);
    check(
      `words: ${before.length} before, ${after.length} after`,
      before.every((word, i) => after[i] === word),
    );
    const mentioned = async (): Promise<number> => (await shownText(box.frame).catch(() => "")).split(next).length - 1;
    await seen(async () => (await mentioned()) >= 2, "an answer").catch(async () => {
      check("Enter was swallowed: the text is still in the input", !(await typed()).includes(next));
      check("the next prompt was not answered", (await typed()).includes(next));
    });
    const rest = await everything();
    if (queued) check("the queued prompt, in the end", rest.includes(`queued-${n}`));
    if (draft) check("the draft, in the end", rest.includes(`draft-${n}`));
    return lost;
  }

  async function closeTab(): Promise<void> {
    const tabs = box.frame.getByRole("tab"),
      dialog = box.frame.getByRole("alertdialog"),
      count = await tabs.count();
    if (count < 2) return;
    await box.frame.getByRole("tab", { selected: true }).press("Delete");
    await seen(async () => (await tabs.count()) < count || (await dialog.count()) > 0, "that it closes, or asks");
    if ((await dialog.count()) > 0)
      await box.frame.getByRole("alertdialog").getByRole("button", { name: "Close Tab", exact: true }).click();
    await seen(async () => (await tabs.count()) < count, "the end of the tab");
  }

  for (const [i, round] of (WANTED > 0 ? randomRounds(WANTED) : LOSSES).entries()) {
    test(`loses nothing in round ${i + 1}: ${titleOf(round)}`, async () => {
      const began = Date.now(),
        seconds = () => ((Date.now() - began) / 1000).toFixed(1);
      const stopped = (error: unknown): readonly string[] => [`stopped: ${String(error).split("\n")[0] ?? ""}`];
      const lost = await play(i + 1, round).catch(stopped),
        isClean = lost.length === 0;
      const result = isClean ? "clean" : lost.join("; ");
      const line = `${String(i + 1).padStart(3)} ${titleOf(round)} (${seconds()} s): ${result}`;
      played.push({ kind: round.kind, line, isClean });
      if (!isClean) await box.screenshot(`kills-${i + 1}`);
      await closeTab().catch(() => undefined); // the next round uses a new tab
      assert.deepEqual(lost, []);
    });
  }
});
