import { deepEqual, rejects } from "node:assert/strict";
import { OperationProgress } from "./operation-progress";

suite("progress of an operation", () => {
  const fixture = () => {
    const shown: string[] = [],
      progress = new OperationProgress(title => {
        shown.push(title);
        return { report: percent => shown.push(String(percent)), end: () => shown.push("end") };
      });
    return { shown, progress };
  };

  test("is shown from the first report of the sidecar until the end", async () => {
    const { shown, progress } = fixture();
    await progress.during("r", "Undoing", async () => {
      progress.received({ id: "r", done: 1, total: 4 });
      progress.received({ id: "other", done: 1, total: 4 });
      progress.received({ id: "r", done: 4, total: 4 });
    });
    progress.received({ id: "r", done: 4, total: 4 });
    deepEqual(shown, ["Undoing", "25", "100", "end"]);
  });

  test("is absent without a report, and ends with a failure", async () => {
    const { shown, progress } = fixture();
    await progress.during("r", "Undoing", async () => undefined);
    deepEqual(shown, []);
    const failing = progress.during("r", "Undoing", async () => {
      progress.received({ id: "r", done: 1, total: 2 });
      throw new Error("refused");
    });
    await rejects(failing, /refused/);
    deepEqual(shown, ["Undoing", "50", "end"]);
  });

  test("is that of the first operation of a review until it ends", async () => {
    const { shown, progress } = fixture(),
      ends: (() => void)[] = [],
      run = (): Promise<void> =>
        new Promise(resolve => {
          ends.push(resolve);
        });
    const first = progress.during("r", "Undoing", run),
      second = progress.during("r", "Restoring", run);
    progress.received({ id: "r", done: 1, total: 2 });
    ends[0]?.();
    await first;
    progress.received({ id: "r", done: 2, total: 2 });
    ends[1]?.();
    await second;
    deepEqual(shown, ["Undoing", "50", "end", "Restoring", "100", "end"]);
  });
});
