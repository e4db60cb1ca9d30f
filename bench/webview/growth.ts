/** Measures the cost of a chunk in a short and in a long answer, and the cost of a whole answer. */
import type { Browser } from "playwright-core";
import { corpus, type Corpus } from "./corpora";
import { View, type Cpu } from "./view";

/** Output of fast models per frame. */
const CHUNK = 20;
const EVERY_MS = 16;
/** Chunk size for quickly reaching a length. The outbox batches as much into one event for a fast agent. */
const HURRIED = 400;

export interface Cost {
  /** Milliseconds of CPU time of the main thread per chunk of 20 characters. */
  readonly all: number;
  readonly script: number;
  readonly layout: number;
  /** The longest task in milliseconds. 0: no task exceeded 50. */
  readonly maxTask: number;
}

/** The cost of the chunks between two lengths of one answer, streamed from its start. */
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

/** The cost of a whole answer including its end. */
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
    maxTask: Math.max(0, ...(await view.longTasks())),
  };
}
