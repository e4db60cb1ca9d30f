// The sidecar as a window of VS Code starts it, and a host that reads and writes files for it.
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { killGroup, manifest, root } from "../project.mjs";
import { agentTimeLimit } from "./throttled.mjs";

/** Limit for a request or a turn, on an idle machine. */
const LIMIT_MS = 120_000;
const [, PROTOCOL] = /PROTOCOL = (\d+);/.exec(readFileSync(path.join(root, "src/protocol/sidecar.ts"), "utf8"));

/** Runs `work` with a sidecar that has this home, and waits until it has exited with all its agents. */
export async function withSidecar({ home, temporary, agentId, extensions }, work) {
  const sidecar = new Sidecar({ HOME: home, TMPDIR: temporary, SHELL: "/bin/sh" });
  try {
    await sidecar.request("hello", {
      protocol: Number(PROTOCOL),
      build: manifest.version,
      logLevel: "info",
      storage: path.join(home, "storage"),
      traceDir: "",
      history: { days: 90, megabytes: 1024 },
      bypass: [agentId],
      extensions,
      proxy: "",
    });
    return await work(sidecar);
  } finally {
    await sidecar.end();
  }
}

class Sidecar {
  /** Events of all conversations, in order. */
  events = [];
  /** Process groups of its agents. */
  groups = new Set();
  /** The newest states of reviews by id. */
  reviews = new Map();
  log = [];
  #child;
  #connection;
  #exit;
  #onEvent = () => {};

  constructor(env) {
    this.#child = spawn(process.execPath, [path.join(root, "dist/sidecar.js"), "serve"], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "inherit"],
      detached: true,
    });
    this.#exit = new Promise(resolve => this.#child.once("close", resolve));
    this.#connection = createMessageConnection(
      new StreamMessageReader(this.#child.stdout),
      new StreamMessageWriter(this.#child.stdin),
    );
    this.#connection.onNotification("chat/event", ({ event }) => {
      this.events.push(event);
      this.#onEvent();
    });
    this.#connection.onNotification("review/changed", review => {
      this.reviews.set(review.id, review);
      this.#onEvent();
    });
    this.#connection.onNotification("process/started", ({ group }) => {
      this.groups.add(group);
    });
    this.#connection.onNotification("log", line => {
      this.log.push(JSON.stringify(line));
    });
    this.#connection.onRequest("editor/readTextFile", ({ path: file }) => ({ text: readFileSync(file, "utf8") }));
    this.#connection.onRequest("editor/writeTextFile", ({ path: file, text }) => {
      writeFileSync(file, text);
      return {};
    });
    this.#connection.onRequest("secrets/environment", () => ({ env: {} }));
    this.#connection.listen();
  }

  request(method, params) {
    return this.#patiently(method, this.#connection.sendRequest(method, params));
  }

  /** Opens a conversation, sends the prompt, and resolves when its turn has ended. */
  async ask(agent, cwd, text) {
    const { sessionId } = await this.request("chat/new", { conversation: randomUUID(), agent, cwd });
    await this.prompt(sessionId, text);
  }

  /** Sends a prompt and resolves when its turn has ended. */
  async prompt(sessionId, text, attachments = []) {
    const since = this.events.length;
    const ended = new Promise(resolve => {
      this.#onEvent = () => {
        const turns = this.events.slice(since).filter(({ type }) => type === "turn");
        if (turns.some(({ turn }) => turn.state === "running") && turns.at(-1).turn.state === "idle") resolve();
      };
    });
    await this.request("chat/prompt", {
      sessionId,
      messageId: randomUUID(),
      blocks: [{ type: "text", text }, ...attachments.map(attachment => ({ type: "attachment", attachment }))],
    });
    await this.#patiently("the end of the turn", ended);
  }

  /** Resolves when the text of the agent matches. */
  async answered(pattern) {
    await this.#patiently(
      `an answer ${pattern}`,
      new Promise(resolve => {
        this.#onEvent = () => {
          if (pattern.test(this.answers)) resolve();
        };
        this.#onEvent();
      }),
    );
  }

  /** Resolves when Symposium shows a notice that matches. */
  async noticed(pattern) {
    const found = () => this.notices.some(text => pattern.test(text));
    await this.#patiently(
      `a notice ${pattern}`,
      new Promise(resolve => {
        this.#onEvent = () => {
          if (found()) resolve();
        };
        this.#onEvent();
      }),
    );
  }

  /** Resolves with the first review that matches. */
  async reviewed(matches) {
    const found = () => [...this.reviews.values()].find(matches);
    await this.#patiently(
      "a review",
      new Promise(resolve => {
        this.#onEvent = () => {
          if (found()) resolve();
        };
        this.#onEvent();
      }),
    );
    return found();
  }

  /** All text of the agent. */
  get answers() {
    return this.events
      .map(({ type, entry, text }) => (type === "append" ? text : entry?.kind === "agent" ? entry.text : ""))
      .join("");
  }

  get notices() {
    return this.events.flatMap(({ entry }) => (entry?.kind === "notice" ? [entry.text] : []));
  }

  async kill() {
    killGroup(this.#child.pid, "SIGKILL");
    await this.#exit;
  }

  /** The newest tools of the session's extensions, as in *Details*. */
  get tools() {
    const details = this.events.findLast(({ type }) => type === "details")?.details;
    return (details?.extensions ?? []).flatMap(({ tools = [] }) => tools);
  }

  async end() {
    this.#child.stdin.end();
    try {
      await this.#patiently("its exit", this.#exit);
    } finally {
      killGroup(this.#child.pid, "SIGKILL");
      this.#connection.dispose();
    }
  }

  async #patiently(what, promise) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new Error([`While waiting for ${what}:`, ...this.log.slice(-20)].join("\n"))),
        agentTimeLimit(LIMIT_MS),
      );
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
