// A client that exchanges lines of JSON and records every line in both directions. Its answers depend only on the
// request and are sent immediately, in order. So two agents that behave equally receive the same answers.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { killGroup } from "../project.mjs";
import { agentTimeLimit } from "./throttled.mjs";

/** Time limit of a wait on an idle machine. */
const TIMEOUT_MS = 60_000;
const CANCELLED = { outcome: { outcome: "cancelled" } };

export class Wire {
  /** `{from: "client" | "agent", line, message}`, in the order of sending and arrival. */
  lines = [];
  /** The agent's capabilities after `initialize`. */
  can = {};
  /** The kind of option that answers permission requests. "wait": the answer follows their cancellation. */
  permission = "allow_once";
  /** The answer for a file that does not exist: "empty", or an "error". */
  missingFile = "empty";
  stderr = "";
  #child;
  #lastId = 0;
  /** Pending responses by id. */
  #pending = new Map();
  #watchers = new Set();
  #withheld = [];
  #exit;

  constructor(command, args, { cwd, env = {} }) {
    this.#child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#exit = new Promise(resolve => {
      this.#child.on("error", error => resolve(error.message)).on("close", (code, signal) => resolve(code ?? signal));
    });
    this.#child.stderr.setEncoding("utf8").on("data", text => {
      this.stderr += text;
    });
    this.#child.stdin.on("error", () => {}); // the agent has exited, which rejects pending calls
    let rest = "";
    this.#child.stdout.setEncoding("utf8").on("data", text => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) this.#receive(line);
    });
  }

  /** Resolves with the response, as `{result}` or `{error}`. */
  request(method, params) {
    const id = ++this.#lastId;
    this.#send({ jsonrpc: "2.0", id, method, params });
    return this.#untilExit(
      `the answer to ${method}`,
      new Promise(resolve => {
        this.#pending.set(id, resolve);
      }),
    );
  }

  notify(method, params) {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Resolves when the agent has sent a message that satisfies `condition`, from the line `since` on. */
  until(what, condition, since = 0) {
    return this.#untilExit(
      what,
      new Promise(resolve => {
        const check = () => {
          if (this.lines.slice(since).some(({ from, message }) => from === "agent" && condition(message))) {
            this.#watchers.delete(check);
            resolve();
          }
        };
        this.#watchers.add(check);
        check();
      }),
    );
  }

  /** The updates of a session, from the line `since` on. */
  updates(sessionId, since = 0) {
    return this.lines
      .slice(since)
      .flatMap(({ from, message: { method, params } }) =>
        from === "agent" && method === "session/update" && params.sessionId === sessionId ? [params.update] : [],
      );
  }

  /** The text of a session's messages, from the line `since` on. */
  textOf(sessionId, since) {
    return this.updates(sessionId, since)
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => content.text ?? "")
      .join("");
  }

  /** Disconnects like a client: closes stdin, after which the agent exits. Resolves with the exit code. */
  leave() {
    this.#child.stdin.end();
    return this.#withTimeout("its end", this.#exit);
  }

  kill() {
    killGroup(this.#child.pid, "SIGKILL");
  }

  /** Answers all open requests as cancelled. */
  withdraw() {
    for (const id of this.#withheld.splice(0)) this.#send({ jsonrpc: "2.0", id, result: CANCELLED });
  }

  #send(message) {
    const line = JSON.stringify(message);
    this.lines.push({ from: "client", line, message });
    this.#child.stdin.write(`${line}\n`);
  }

  #receive(line) {
    const message = JSON.parse(line);
    this.lines.push({ from: "agent", line, message });
    if (message.method === undefined) {
      this.#pending.get(message.id)?.(message);
      this.#pending.delete(message.id);
    } else if (message.id !== undefined) this.#serve(message);
    else if (message.method === "$/cancel_request" && this.#withheld.includes(message.params.requestId))
      this.withdraw();
    for (const check of this.#watchers) check();
  }

  #serve({ id, method, params }) {
    if (method === "session/request_permission" && this.permission === "wait") {
      this.#withheld.push(id);
      return;
    }
    this.#send({ jsonrpc: "2.0", id, ...answerTo(method, params, this) });
  }

  /** Waits for the agent. Rejects when it has exited or the time limit expires. */
  #untilExit(what, promise) {
    return this.#withTimeout(
      what,
      Promise.race([
        promise,
        this.#exit.then(code => {
          throw this.#waitError(what, `the agent ended (${code})`);
        }),
      ]),
    );
  }

  async #withTimeout(what, promise) {
    let timer;
    const timeout = new Promise((_, reject) => {
      timer = setTimeout(() => reject(this.#waitError(what, "it did not come")), agentTimeLimit(TIMEOUT_MS));
    });
    try {
      return await Promise.race([promise, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  #waitError(what, why) {
    return new Error(
      [
        `While waiting for ${what}: ${why}.`,
        ...this.lines.slice(-5).map(({ from, line }) => `${from} ${line.slice(0, 500)}`),
        this.stderr.slice(-4000),
      ].join("\n"),
    );
  }
}

function answerTo(method, params, { permission, missingFile }) {
  switch (method) {
    case "session/request_permission": {
      const option = params.options.find(({ kind }) => kind === permission);
      return {
        result: option === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId: option.optionId } },
      };
    }
    case "fs/read_text_file":
      try {
        return { result: { content: readFileSync(params.path, "utf8") } };
      } catch {
        if (missingFile === "error") return { error: { code: -32002, message: "Resource not found" } };
        return { result: { content: "" } };
      }
    case "fs/write_text_file":
      writeFileSync(params.path, params.content);
      return { result: {} };
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } };
  }
}
