// Waits for visible changes of a page. Its documents report changes, and the condition is checked only after a change.
import { setTimeout as delay } from "node:timers/promises";
import { timeLimit } from "../time-limits.mjs";

/**
 * Minimum delay between checks, for any number of changes. Maximum delay, for changes that no document reports, such as
 * a value set by a script or a process.
 */
const MIN_MS = 50,
  MAX_MS = 500;

/**
 * Resolves when `condition` holds. `timeout` applies to an idle machine. `documents` are locators of elements that
 * change with it. Missing elements are awaited.
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

/**
 * A function whose promise resolves at the first change after the last reported change, or immediately on the first
 * call.
 */
function changesOf(document) {
  let lastCount, pending;
  return () =>
    (pending ??= document
      .evaluate(nextChange, lastCount, { timeout: 10_000 })
      .then(
        count => {
          lastCount = count;
        },
        () => {
          lastCount = undefined;
        },
      ) // the document was closed or replaced
      .finally(() => {
        pending = undefined;
      }));
}

/** Runs in the page. Resolves to the number of changes so far as soon as it differs from `lastCount`. */
function nextChange(_element, lastCount) {
  const changes = (window.symposiumChanges ??= (() => {
    const counter = { count: 1, waiting: [] };
    const notify = () => {
      counter.count++;
      for (const resolve of counter.waiting.splice(0)) resolve(counter.count);
    };
    new MutationObserver(notify).observe(document, {
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
      window.addEventListener(type, notify, true);
    return counter;
  })());
  return changes.count !== lastCount
    ? changes.count
    : new Promise(resolve => {
        changes.waiting.push(resolve);
      });
}
