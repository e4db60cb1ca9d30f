/**
 * Lists the living processes of a run: every process whose environment contains the run id (`SYMPOSIUM_RUN_ID`), at any
 * depth and in any process group. Linux only: reads `/proc`. Independent of `sidecar/process/process-list.ts`, which it
 * verifies.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface Counted {
  readonly pid: number;
  readonly group: number;
  readonly parent: number;
  readonly runId: string;
  readonly command: string;
}

/**
 * Processes of one run, or of all runs for `""`. Excludes zombies, which have exited and which only their parents can
 * reap.
 */
export function census(run: string): readonly Counted[] {
  return readdirSync("/proc")
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const [environ, stat, command] = ["environ", "stat", "cmdline"].map(file => readOrEmpty(`/proc/${name}/${file}`));
      const runId = /(?:^|\0)SYMPOSIUM_RUN_ID=([^\0]*)/.exec(environ ?? "")?.[1];
      const [, state, parent, group] =
        /\) (\S) (\d+) (\d+) /.exec((stat ?? "").slice((stat ?? "").lastIndexOf(")"))) ?? [];
      if (runId === undefined || state === undefined || state === "Z" || state === "X") return [];
      if (run !== "" && runId !== run && !runId.startsWith(`${run}.`)) return [];
      return [
        {
          pid: Number(name),
          group: Number(group),
          parent: Number(parent),
          runId,
          command: (command ?? "").replaceAll("\0", " ").trim(),
        },
      ];
    });
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
