// Waits for visible changes of a page. Its documents report changes, and the condition is checked only after a change.
import { setTimeout as delay } from "node:timers/promises";
import { timeLimit } from "../time-limits.mjs";

/**
 * Minimum delay between checks, however many changes occur. Maximum delay, for changes that no document reports, such
 * as a value set by a script or a process.
 */
const MIN_MS = 50,
  MAX_MS = 500;

/**
 * Resolves when `condition` holds. `timeout` applies to an idle machine. `documents` are locators of elements that
 * change with it; a missing one is waited for.
 */
export async function until(documents, condition, timeout, otherwise) {
  const changes = documents.map(changesOf);
  for (const limit = timeLimit(timeout), deadline = Date.now() + limit; ; ) {
    const began = Date.now(),
      changed = Promise.race(changes.map(next => next()));
    if (await condition()) return;
    if (Date.now() > deadline) throw new Error(`After ${Math.round(limit / 1000)} s ${otherwise}.`);
    await Promise.race([changed, delay(MAX_MS)]);
    if (Date.now() - began < MIN_MS) await delay(MIN_MS);
  }
}

/** A function whose promise resolves at the first change after the last reported one; immediately on the first call. */
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
      ) // it was closed or replaced by another document
      .finally(() => {
        pending = undefined;
      }));
}

/** Runs in the page: resolves to the number of changes so far, once it differs from `known`. */
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
