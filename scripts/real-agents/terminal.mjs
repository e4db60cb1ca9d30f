// Runs an agent's interactive program in a pseudo terminal that replies to the program's queries. Needs python3.
import { spawn } from "node:child_process";

const ESCAPE = "\u001b",
  STRING_END = `${ESCAPE}\\`,
  CONTROL_C = "\u0003";
/** Runs its arguments in a pseudo terminal, and copies the standard streams. */
const PTY = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
/** Sets the size, because a new pseudo terminal has none. */
const SIZED = ["sh", "-c", 'stty rows 24 cols 80 && exec "$@"', "sh"];
/** Without a reply, the program waits for its time limit. */
const REPLIES = new Map([
  [`${ESCAPE}[6n`, `${ESCAPE}[1;1R`], // cursor position
  [`${ESCAPE}[c`, `${ESCAPE}[?1;2c`], // device attributes
  [`${ESCAPE}[?u`, `${ESCAPE}[?0u`], // keyboard protocol
  [`${ESCAPE}]10;?${STRING_END}`, `${ESCAPE}]10;rgb:ffff/ffff/ffff${STRING_END}`], // foreground color
  [`${ESCAPE}]11;?${STRING_END}`, `${ESCAPE}]11;rgb:0000/0000/0000${STRING_END}`], // background color
]);

/**
 * Runs the command until it sends the desktop notification `text` (OSC 9), then quits it with Ctrl+C. Resolves when it
 * has exited with code 0; rejects if it fails, exits without the notification or exceeds `timeout` milliseconds.
 */
export async function runUntilNotification(command, text, { cwd, timeout }) {
  const terminal = spawn("python3", ["-c", PTY, ...SIZED, ...command], {
    cwd,
    env: { ...process.env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
    timeout,
  });
  const replied = new Map();
  let output = "",
    isNotified = false;
  terminal.stdin.on("error", () => {}); // The program has exited.
  terminal.stdout.setEncoding("utf8").on("data", chunk => {
    output += chunk;
    for (const [query, reply] of REPLIES) {
      const count = output.split(query).length - 1;
      terminal.stdin.write(reply.repeat(count - (replied.get(query) ?? 0)));
      replied.set(query, count);
    }
    if (isNotified || !output.includes(`${ESCAPE}]9;${text}`)) return;
    isNotified = true;
    terminal.stdin.write(CONTROL_C);
  });
  const code = await new Promise((resolve, reject) => {
    terminal.once("error", reject).once("close", resolve);
  });
  if (code !== 0 || !isNotified) throw new Error(`Exited with ${code}: ${JSON.stringify(output.slice(-3000))}`);
}
