/** What a chunk of an answer costs when the answer is short, and when it is long; and what a whole answer costs. */
import type { Browser } from "playwright-core";
import { corpus, type Corpus } from "./corpora";
import { View, type Cpu } from "./view";

/** As much as fast models say in a frame. */
const CHUNK = 20;
const EVERY_MS = 16;
/** An answer that is only to become long: the outbox puts as much into one event when an agent is fast. */
const HURRIED = 400;

export interface Cost {
  /** Of one chunk of 20 characters, milliseconds of CPU of the main thread. */
  readonly all: number;
  readonly script: number;
  readonly layout: number;
  /** The longest task, milliseconds; 0: none was longer than 50. */
  readonly longest: number;
}

/** The cost of the chunks between two lengths of one answer, streamed from its beginning. */
export async function costAt(browser: Browser, name: Corpus, from: number, to: number): Promise<Cost> {
  await using view = await View.open(browser);
  const text = corpus(name, to);
  await view.command({ do: "turn", tab: 0, running: true });
  await view.command({
    do: "stream",
    tab: 0,
    entry: "answer",
    text: text.slice(0, from),
    chunk: HURRIED,
    everyMs: EVERY_MS,
  });
  await view.longTasks();
  return await streamed(view, text.slice(from), EVERY_MS);
}

/** The cost of a whole answer, its end included. */
export async function costOf(
  browser: Browser,
  name: Corpus,
  chunks: number,
  everyMs = EVERY_MS,
): Promise<Cost & { readonly seconds: number }> {
  await using view = await View.open(browser);
  await view.command({ do: "turn", tab: 0, running: true });
  await view.longTasks();
  const before = await view.cpu();
  const cost = await streamed(view, corpus(name, chunks * CHUNK), everyMs, () =>
    view.command({ do: "turn", tab: 0, running: false }),
  );
  return { ...cost, seconds: ((await view.cpu()).all - before.all) / 1000 };
}

async function streamed(
  view: View,
  text: string,
  everyMs: number,
  then: () => Promise<unknown> = async () => undefined,
): Promise<Cost> {
  const before = await view.cpu(),
    chunks = text.length / CHUNK;
  await view.command({ do: "stream", tab: 0, entry: "answer", text, chunk: CHUNK, everyMs });
  await then();
  const after = await view.cpu(),
    per = (part: keyof Cpu): number => (after[part] - before[part]) / chunks;
  return {
    all: per("all"),
    script: per("script"),
    layout: per("layout") + per("style"),
    longest: Math.max(0, ...(await view.longTasks())),
  };
}
