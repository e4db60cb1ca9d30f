import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { program, scriptedAgent } from "../testing/programs/programs";

/** The command as a process, and its client. */
class Run {
  readonly received: JsonObject[] = [];
  stderr = "";
  readonly exit: Promise<number | null>;
  readonly #process;
  #text = "";
  #handleEvent = (): void => undefined;

  constructor(home: string, ...args: string[]) {
    const { command, args: first } = program("symposium-acp-agent");
    this.#process = spawn(command, [...first, ...args], {
      env: { ...process.env, HOME: home, USERPROFILE: home },
      cwd: home,
    });
    this.exit = new Promise(resolve => {
      this.#process.once("close", code => resolve(code));
    });
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.#process.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#text + text).split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines) this.received.push(JSON.parse(line)); // only protocol messages
      this.#handleEvent();
    });
    this.#process.stdin.on("error", () => undefined);
  }

  report(message: JsonObject): void {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  async answer(id: number): Promise<JsonObject> {
    const found = () => this.received.find(message => message.id === id);
    while (!found())
      await new Promise<void>(resolve => {
        this.#handleEvent = resolve;
      });
    return found()!;
  }

  /** Sends a request like other programs: without any id except that of the message. */
  async ask(id: number, agent: JsonObject, ...texts: readonly string[]): Promise<string> {
    const messages = texts.map((value, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", value }],
    }));
    this.report({
      id,
      method: "lm/provideLanguageModelChatResponse",
      params: { modelId: "symposium", messages, agent },
    });
    const { result, error } = await this.answer(id);
    if (error !== undefined) return `ERROR ${stringOr(objectOr(error).message, "")}`;
    deepEqual(result, {});
    return this.received
      .map(({ method, params }) =>
        method === "lm/responsePart" && objectOr(params).requestId === id ? objectOr(objectOr(params).part).value : "",
      )
      .join("");
  }

  async end(): Promise<number | null> {
    this.#process.stdin.end();
    return this.exit;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }
}

suite("symposium-acp-agent vscodelm", () => {
  let home = "";
  setup(() => {
    home = mkdtempSync(path.join(tmpdir(), "vscodelm-"));
  });
  teardown(() => rmSync(home, { recursive: true, force: true }));

  test("serves Eliza and an external agent with only protocol messages on stdout", async function () {
    this.timeout(timeLimit(120_000));
    const run = new Run(home, "vscodelm", "--trace-dir", path.join(home, "trace"));
    run.report({ id: 1, method: "lm/provideLanguageModelChatInformation", params: { silent: true } });
    ok(isObject((await run.answer(1)).result));
    const eliza = { eliza: { deterministic: true } },
      text = await run.ask(2, eliza, "Hello, how are you?");
    equal(text, "I don't have feelings, but I'm functioning well. What about you?");
    equal(
      await run.ask(3, eliza, "Hello, how are you?", text, "I am doing well, thanks!"),
      "Do you believe it is normal to be doing well thanks?",
    );
    const { command, args } = scriptedAgent([]);
    ok((await run.ask(4, { mcp_server: { name: "Scripted", command, args, env: [] } }, "hello")).length > 0);
    match(
      await run.ask(
        5,
        { mcp_server: { name: "Nobody", command: path.join(home, "nobody"), args: [], env: [] } },
        "hello",
      ),
      /^ERROR Nobody could not be started/,
    );
    equal(await run.end(), 0);
    const [file = ""] = readdirSync(path.join(home, "trace"));
    match(readFileSync(path.join(home, "trace", file), "utf8"), /session\/prompt/);
  });

  test("exits with the signal's exit code", async () => {
    const run = new Run(home, "vscodelm");
    run.report({ id: 1, method: "lm/provideTokenCount", params: { modelId: "x", text: "abcdefgh" } });
    deepEqual((await run.answer(1)).result, { count: 2 });
    run.kill("SIGTERM");
    equal(await run.exit, 143);
  });
});
