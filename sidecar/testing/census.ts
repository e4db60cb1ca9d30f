/**
 * Who lives of a run: every process whose environment has its run id (`SYMPOSIUM_RUN_ID`), at whatever depth it was
 * started and whatever group it is in. Linux, from `/proc`, read apart from `sidecar/process/process-list.ts`, which it
 * checks.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface Counted {
  readonly pid: number;
  readonly group: number;
  readonly parent: number;
  readonly runId: string;
  readonly command: string;
}

/** Of one run, or with `""` of all. Zombies do not count: they are dead, and only their parents can bury them. */
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
