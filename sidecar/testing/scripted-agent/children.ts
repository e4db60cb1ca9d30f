/** Child processes of the scripted agent. */
import { execFileSync, spawn } from "node:child_process";

/** Runs a shell command to its end. Throws if it fails. */
export function runShell(command: string, cwd: string): void {
  execFileSync("sh", ["-c", command], { cwd, stdio: "ignore" });
}

const PROGRAM =
  "process.on('SIGTERM', () => {}); setTimeout(() => {}, 120_000); require('node:fs').writeSync(3, 'ready')";

/**
 * Starts a child that outlives its parent. It ignores SIGTERM, keeps stdout and stderr of its parent open, and exits
 * after two minutes, so that a failed test leaves no process behind. Resolves when it ignores SIGTERM. `detached`: in a
 * separate session and process group, as after setsid(2).
 */
export async function stubbornChild(detached: boolean): Promise<void> {
  const child = spawn(process.execPath, ["-e", PROGRAM], {
    detached,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  child.unref();
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.stdio[3]?.once("data", () => resolve());
  });
  child.stdio[3]?.destroy();
}
