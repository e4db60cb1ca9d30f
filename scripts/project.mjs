// Shared by the scripts: the project's folder, running programs, and file digests.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { globSync } from "./glob.mjs";

export const root = path.resolve(import.meta.dirname, "..");
export const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** Process groups that `run` started and that have not ended. They are killed when the script exits for any reason. */
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

/** Signals a process started with `detached`, and its whole group. */
export function killGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    /* The process has exited. */
  }
}

/**
 * Runs a program to its end in a separate process group. `output`: "inherit", or "hold" to return the output. The code
 * is 1 for a program that does not start, is terminated by a signal, or exceeds `limit` milliseconds.
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
    const append = chunk => {
      text += chunk;
    };
    child.stdout?.setEncoding("utf8").on("data", append);
    child.stderr?.setEncoding("utf8").on("data", append);
    const timer =
      limit === undefined
        ? undefined
        : setTimeout(() => {
            text += `It was stopped after the limit of ${limit / 60_000} minutes.\n`;
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

/** A digest of the names and contents of `wanted` files. A folder includes all files below it. */
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
 * Parses options `--name value`, `--name=value` and flags `--name`. Other arguments are in `rest`. Names in `many` may
 * be repeated.
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
