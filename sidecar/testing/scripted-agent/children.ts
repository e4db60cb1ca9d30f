/**
 * Children for a process that must leave some behind. Each ignores SIGTERM, keeps the stdout and stderr of its parent
 * open, and ends by itself after two minutes, so that a test that fails leaves nothing for good.
 */
import { spawn } from "node:child_process";

const PROGRAM =
  "process.on('SIGTERM', () => {}); setTimeout(() => {}, 120_000); require('node:fs').writeSync(3, 'ready')";

/** Resolves when it ignores SIGTERM. `apart`: in a session and a group of its own, as after setsid(2). */
export async function stubbornChild(apart: boolean): Promise<void> {
  const child = spawn(process.execPath, ["-e", PROGRAM], {
    detached: apart,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  child.unref();
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.stdio[3]?.once("data", () => resolve());
  });
  child.stdio[3]?.destroy();
}
