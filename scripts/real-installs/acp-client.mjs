// An ACP client: starts an agent's command and exchanges messages with it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { killGroup } from "../project.mjs";

export const CLIENT = { name: "test", version: "1" };

/** Starts the command. It is killed if the client is still open after `limit` milliseconds. */
export function connect([command, ...args], { env = {}, cwd, limit }) {
  const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
    }),
    waiting = new Map(),
    notifications = [];
  let stderr = "",
    next = 0;
  child.stderr.setEncoding("utf8").on("data", text => {
    stderr += text;
  });
  const late = setTimeout(() => killGroup(child.pid, "SIGKILL"), limit);
  const exited = new Promise(resolve => child.once("close", resolve));
  child.on("error", error => {
    stderr += error.message;
  });
  const ended = exited.then(() => {
    throw new Error(`the command ended\n${stderr}`);
  });
  ended.catch(() => undefined);
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", line => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method !== undefined) return notifications.push({ method, params });
    waiting.get(id)({ result, error });
    waiting.delete(id);
  });
  /** Resolves with the response, also if it is an error. */
  const respond = (method, params) => {
    const id = next++;
    const response = new Promise(resolve => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return Promise.race([response, ended]);
  };
  return {
    notifications,
    respond,
    stderr: () => stderr,
    /** Resolves with the result. */
    ask: async (method, params) => {
      const { result, error } = await respond(method, params);
      if (error) throw new Error(`${JSON.stringify(error)}\n${stderr}`);
      return result;
    },
    /** The text of the agent's messages so far. */
    text: () =>
      notifications
        .map(({ params }) => params?.update)
        .filter(update => update?.sessionUpdate === "agent_message_chunk")
        .map(({ content }) => content.text)
        .join(""),
    /** Disconnects. `terminate`: also sends SIGTERM. Resolves with the exit code. */
    close: async ({ terminate = false } = {}) => {
      child.stdin.end();
      if (terminate) killGroup(child.pid, "SIGTERM");
      const code = await exited;
      clearTimeout(late);
      return code;
    },
  };
}
