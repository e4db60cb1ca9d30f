// What the scripts share: where the project is, programs run to their end, and digests of files.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { globSync } from "./glob.mjs";

export const root = path.resolve(import.meta.dirname, "..");
export const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** Groups of what `run` started and has not ended: nothing outlives the script, however it ends. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) killGroup(child.pid, "SIGKILL");
});
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.on(signal, () => process.exit(code));

/** Signals a process started with `detached`, and everything in its group. */
export function killGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    /* It has ended. */
  }
}

/**
 * Runs a program to its end, in a group of its own. `output` is "inherit", or "hold": what it printed is then returned.
 * A program that does not start or dies by a signal has code 1; so has one that does not end within `limit`
 * milliseconds.
 */
export function run(command, args, { cwd = root, env = {}, output = "inherit", limit } = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: process.platform !== "win32",
      stdio: ["ignore", ...(output === "hold" ? ["pipe", "pipe"] : ["inherit", "inherit"])],
    });
    running.add(child);
    let text = "";
    const keep = chunk => {
      text += chunk;
    };
    child.stdout?.setEncoding("utf8").on("data", keep);
    child.stderr?.setEncoding("utf8").on("data", keep);
    const timer =
      limit === undefined
        ? undefined
        : setTimeout(() => {
            text += `It was stopped after ${limit / 60_000} minutes.\n`;
            end(1);
          }, limit);
    const end = code => {
      if (!running.delete(child)) return;
      clearTimeout(timer);
      killGroup(child.pid, "SIGKILL");
      resolve({ code, text });
    };
    child.on("error", error => {
      text += `${error.message}\n`;
      end(1);
    });
    child.on("close", code => end(code ?? 1));
  });
}

/** Runs a Node program of this project or of its dependencies. */
export const node = (file, args = [], options) => run(process.execPath, [path.join(root, file), ...args], options);

/** A digest of the names and contents of `wanted` files; what is a folder counts with all that is below it. */
export function digest(names, wanted = () => true) {
  const hash = createHash("sha256");
  const files = names.flatMap(name =>
    !existsSync(path.join(root, name))
      ? []
      : statSync(path.join(root, name)).isDirectory()
        ? globSync([name], /./)
        : [name],
  );
  for (const file of files.filter(wanted).sort()) {
    if (!statSync(path.join(root, file)).isFile()) continue;
    const content = readFileSync(path.join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * Options `--name value`, `--name=value` and flags `--name`; what is left over is in `rest`. `many` may be repeated.
 */
export function options(argv, { flags = [], one = [], many = [] }) {
  const found = { rest: [], ...Object.fromEntries(many.map(name => [name, []])) };
  for (let i = 0; i < argv.length; i++) {
    const [, name, inline] = /^--([\w-]+)(?:=(.*))?$/s.exec(argv[i]) ?? [];
    if (name !== undefined && flags.includes(name)) found[name] = true;
    else if (name !== undefined && (one.includes(name) || many.includes(name))) {
      const value = inline ?? argv[++i];
      if (value === undefined) fail(`--${name} needs a value`);
      if (many.includes(name)) found[name].push(value);
      else found[name] = value;
    } else if (argv[i].startsWith("-")) fail(`unknown option ${argv[i]}`);
    else found.rest.push(argv[i]);
  }
  return found;
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}
