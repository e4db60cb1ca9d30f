/**
 * Replaces VS Code in the bench's page: its webview API, the connection to the worker, and clocks that measure visible
 * changes.
 */
import type { Command, ToPage, ToWorker } from "./commands";

export interface BenchPage {
  start(hostScript: string): void;
  /** Resolves when the command is complete and on screen, with the milliseconds that it took. */
  command(command: Command): Promise<number>;
  /** Milliseconds of each main thread task longer than 50 ms since the last call. */
  longTasks(): readonly number[];
  /** Milliseconds from each key to the frame that shows it, since the last call. */
  keys(): readonly number[];
  /** The visible text of all tabs. */
  text(): string;
}

declare global {
  var symposiumBench: BenchPage;
}

let worker: Worker | undefined;
let state: unknown;
let last = 0;
const open = new Map<number, () => void>();
let tasks: number[] = [],
  keys: number[] = [];

const notify = (message: ToWorker): void => worker?.postMessage(message);
/** The second callback runs after the first frame was drawn. */
const drawn = (): Promise<void> =>
  new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));

Object.assign(globalThis, {
  acquireVsCodeApi: () => ({
    postMessage: (message: unknown) => notify({ kind: "page", message }),
    getState: () => state,
    // VS Code serializes the state.
    setState: (next: unknown) => {
      state = next;
      JSON.stringify(next);
    },
  }),
});

globalThis.symposiumBench = {
  start(hostScript) {
    worker = new Worker(URL.createObjectURL(new Blob([hostScript], { type: "text/javascript" })));
    worker.onmessage = ({ data }: MessageEvent<ToPage>) => {
      if (data.kind === "host") window.dispatchEvent(new MessageEvent("message", { data: data.message }));
      else {
        open.get(data.id)?.();
        open.delete(data.id);
      }
    };
    new PerformanceObserver(list => {
      tasks.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask" });
    addEventListener(
      "keydown",
      ({ timeStamp }) => {
        void drawn().then(() => {
          keys.push(performance.now() - timeStamp);
        });
      },
      true,
    );
  },
  async command(command) {
    const id = ++last,
      began = performance.now();
    await new Promise<void>(resolve => {
      open.set(id, resolve);
      notify({ kind: "command", id, command });
    });
    await drawn();
    return performance.now() - began;
  },
  longTasks() {
    const found = tasks;
    tasks = [];
    return found;
  },
  keys() {
    const found = keys;
    keys = [];
    return found;
  },
  text: () =>
    [...document.querySelectorAll("[data-part=conversation]")].map(({ textContent }) => textContent).join("\n"),
};
