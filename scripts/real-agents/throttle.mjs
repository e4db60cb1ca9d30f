// Runs a program with a share of one core by stopping and continuing its process tree. Needs no privileges. Linux only.
//   node scripts/real-agents/throttle.mjs PERCENT COMMAND [ARGUMENT…]
// The program inherits the standard streams and the process group. Its exit code or signal is forwarded.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

const PERIOD_MS = 100;
const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP"];

const [percent, command, ...args] = process.argv.slice(2);
const running = (PERIOD_MS * Number(percent)) / 100;
const child = spawn(command, args, { stdio: "inherit" });
let hasEnded = false;
child.on("error", error => {
  console.error(error.message);
  process.exit(127);
});
child.on("exit", (code, signal) => {
  hasEnded = true;
  resume();
  process.exit(code ?? 128 + constants.signals[signal]);
});
for (const signal of FORWARDED)
  process.on(signal, () => {
    child.kill(signal);
    resume();
  });

/** The child and its descendants, parents first. */
function tree() {
  const found = hasEnded ? [] : [child.pid];
  for (const pid of found) found.push(...childrenOf(pid));
  return found;
}

/** Each thread has a separate list of children. */
function childrenOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  } // the process has exited
}

function signalAll(signal) {
  for (const pid of tree())
    try {
      process.kill(pid, signal);
    } catch {
      /* The process has exited. */
    }
}
function resume() {
  signalAll("SIGCONT");
}

while (!hasEnded) {
  signalAll("SIGSTOP");
  await delay(PERIOD_MS - running);
  resume();
  await delay(running);
}
