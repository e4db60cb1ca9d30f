/** Kills the command that runs a conductor with SIGKILL at each step of a turn. */
import { deepEqual, equal } from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { objectOr } from "../rpc/json";
import { RpcError } from "../rpc/message";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { Peer, type IncomingRequest } from "../rpc/peer";
import { observed, THREE_PROXIES } from "../testing/chain/process-chain";
import { temporaryFolder } from "../testing/drive";
import { program, scriptedAgent } from "../testing/programs/programs";
import { skipped } from "../testing/skipped";

/** An editor that starts `symposium-acp-agent run-with`. */
class Editor implements AsyncDisposable {
  readonly peer: Peer;
  readonly questions: IncomingRequest[] = [];
  readonly exit: Promise<unknown[]>;
  readonly closed: Promise<void>;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #happened: (what: string) => void;

  constructor(observer: ProcessObserver, home: string, happened: (what: string, editor: Editor) => void) {
    const agent = observed("Agent", scriptedAgent(["--early-commands"]), observer.address);
    const proxies = Object.entries(THREE_PROXIES).flatMap(([name, file]) => [
      "--proxy",
      asJson(observed(name, program(file), observer.address)),
    ]);
    const { command, args, env } = observed(
      "conductor",
      program("symposium-acp-agent", ["run-with", "--log", "debug", ...proxies, "--agent", asJson(agent)]),
      observer.address,
    );
    this.#happened = what => happened(what, this);
    this.#process = spawn(command, [...args], { env: { ...process.env, ...env, HOME: home, USERPROFILE: home } });
    this.exit = once(this.#process, "exit");
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      for (const [, word = ""] of text.matchAll(/now: (\w+)/g)) this.#happened(word);
    });
    let onClosed = (): void => undefined;
    this.closed = new Promise(resolve => {
      onClosed = resolve;
    });
    this.peer = new Peer(ndjsonChannel(this.#process.stdout, this.#process.stdin), {
      request: request => {
        this.questions.push(request);
        this.#happened(`received ${request.method}`);
      },
      notification: (_, params) =>
        this.#happened(`received ${String(objectOr(objectOr(params).update).sessionUpdate)}`),
      closed: onClosed,
    });
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Runs one turn. Returns the error of the pending request when the command is killed. */
  async turn(prompt: string): Promise<unknown> {
    try {
      await this.peer.request("initialize", { protocolVersion: 1 });
      this.#happened("initialized");
      await this.peer.request("session/new", { cwd: process.cwd(), mcpServers: [] });
      await this.peer.request("session/prompt", { sessionId: "session-1", prompt: [{ type: "text", text: prompt }] });
      this.#happened("answered");
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.exit;
  }
}

function asJson({ name, command, args, env }: ReturnType<typeof program>): string {
  return JSON.stringify({ name, local: { command, args, env } });
}

/** Detects the start and the end of each process. */
class ProcessObserver implements AsyncDisposable {
  readonly ended = new Map<string, Promise<unknown>>();
  readonly #server: Server;

  constructor(
    readonly address: string,
    onStarted: (name: string) => void,
  ) {
    this.#server = createServer(socket =>
      socket
        .setEncoding("utf8")
        .on("error", () => undefined)
        .on("data", (name: string) => {
          this.ended.set(name, once(socket, "close"));
          onStarted(name);
        }),
    );
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(this.address), "listening");
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise(resolve => this.#server.close(resolve));
  }
}

suite("killed conductor command", function () {
  this.timeout(timeLimit(120_000));
  suiteSetup(function () {
    if (process.platform === "win32") skipped(this, "Windows has no signals that tell how a process ended");
  });

  const ALL_PROCESSES = ["conductor", ...Object.keys(THREE_PROXIES), "Agent"];
  const STEPS: Readonly<Record<string, { readonly when: string; readonly prompt?: string; readonly nth?: number }>> = {
    "before initialize": { when: "conductor has started" },
    "while initialize is pending": { when: "Agent has started" },
    "after initialize": { when: "initialized" },
    "while session/new is pending": { when: "received available_commands_update" },
    "before the first update": { when: "prompted", prompt: "stderr now: prompted\nhang-forever" },
    "between updates": {
      when: "received agent_message_chunk",
      nth: 3,
      prompt: "stream 100 chunks of 20 chars\nhang-forever",
    },
    "while a permission request is pending": { when: "received session/request_permission", prompt: "ask t1" },
    "while a cancellation is pending": {
      when: "cancelled",
      prompt: "stderr now: ready\nwait-cancel\nstderr now: cancelled\nhang-forever",
    },
    "after the response": { when: "answered", prompt: "say done" },
  };
  for (const [when, { when: moment, prompt = "hang-forever", nth = 1 }] of Object.entries(STEPS))
    test(`ends all waiting requests and processes: ${when}`, async () => {
      using folder = temporaryFolder();
      let times = 0,
        started: Editor | undefined;
      const happened = (what: string, editor: Editor | undefined): void => {
        if (what === "ready") editor?.peer.notify("session/cancel", { sessionId: "session-1" });
        if (what === moment && ++times === nth) editor?.kill();
      };
      await using observer = new ProcessObserver(path.join(folder.path, "witness"), name =>
        happened(`${name} has started`, started),
      );
      await observer.listen();
      await using editor = (started = new Editor(observer, folder.path, happened));
      const error = await editor.turn(prompt);
      await editor.closed;
      deepEqual(await editor.exit, [null, "SIGKILL"]);
      equal(error instanceof RpcError, moment !== "answered");
      deepEqual(
        editor.questions.map(({ signal }) => signal.aborted),
        moment === "received session/request_permission" ? [true] : [],
      );
      if (moment !== "conductor has started" && moment !== "Agent has started")
        deepEqual([...observer.ended.keys()].sort(), [...ALL_PROCESSES].sort());
      await Promise.all(observer.ended.values());
    });
});
