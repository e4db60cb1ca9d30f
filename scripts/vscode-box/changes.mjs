// Waiting for what is seen on a page: its documents tell that something has changed, and only then it is looked at
// again.
import { setTimeout as delay } from "node:timers/promises";
import { timeLimit } from "../time-limits.mjs";

/**
 * Looked at again no sooner, however much changes; and no later, for what no document tells of: a value that a script
 * sets, a process.
 */
const SHORTEST_MS = 50,
  LONGEST_MS = 500;

/**
 * Resolves when `condition` holds. `timeout` counts for an idle machine. `documents` are locators of what changes with
 * it; one that is not there is waited for.
 */
export async function until(documents, condition, timeout, otherwise) {
  const changes = documents.map(changesOf);
  for (const limit = timeLimit(timeout), deadline = Date.now() + limit; ; ) {
    const began = Date.now(),
      changed = Promise.race(changes.map(next => next()));
    if (await condition()) return;
    if (Date.now() > deadline) throw new Error(`After ${Math.round(limit / 1000)} s ${otherwise}.`);
    await Promise.race([changed, delay(LONGEST_MS)]);
    if (Date.now() - began < SHORTEST_MS) await delay(SHORTEST_MS);
  }
}

/** A function whose promise resolves at the first change after the last one that it told of; the first time at once. */
function changesOf(document) {
  let known, pending;
  return () =>
    (pending ??= document
      .evaluate(nextChange, known, { timeout: 10_000 })
      .then(
        count => {
          known = count;
        },
        () => {
          known = undefined;
        },
      ) // it was closed, or another document is in its place
      .finally(() => {
        pending = undefined;
      }));
}

/** Runs in the page: resolves to the number of changes so far, as soon as that is not `known`. */
function nextChange(_element, known) {
  const changes = (window.symposiumChanges ??= (() => {
    const made = { count: 1, waiting: [] };
    const tell = () => {
      made.count++;
      for (const resolve of made.waiting.splice(0)) resolve(made.count);
    };
    new MutationObserver(tell).observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    for (const type of [
      "input",
      "focus",
      "blur",
      "scroll",
      "load",
      "resize",
      "transitionend",
      "animationend",
      "selectionchange",
    ])
      window.addEventListener(type, tell, true);
    return made;
  })());
  return changes.count !== known
    ? changes.count
    : new Promise(resolve => {
        changes.waiting.push(resolve);
      });
}
