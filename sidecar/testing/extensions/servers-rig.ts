/** Simulated language servers in a folder, for the tests of `Servers`. */
import { deepEqual, match } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { IdeAnswer, IdeOperation } from "../../../src/protocol/ide/ide";
import type { Clock } from "../../rpc/clock";
import { RpcError } from "../../rpc/message";
import { census } from "../census";
import { temporaryFolder } from "../drive";
import { ExtensionRig } from "./extension-rig";
import { hurriedClock } from "../accelerated-clock";
import { program } from "../programs/programs";
import type { Language } from "../../extensions/ide/languages";
import type { PermitStart } from "../../extensions/ide/server-consent";
import { Servers } from "../../extensions/ide/servers";

export const TEXT = "one two BAD  \nthree one\ntwo ODD heard\nanswers\n";

/** Servers in a folder with `a.words`. The server logs one line per method. */
export class ServersRig implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly rig: ExtensionRig;
  readonly servers: Servers;
  readonly log = path.join(this.#folder.path, "log");
  readonly progress: string[] = [];
  permit: PermitStart = async () => undefined;

  constructor(
    habits: readonly string[] = [],
    {
      clock = hurriedClock(2),
      limitMs = 150_000,
      starting = () => undefined,
      ...overrides
    }: Partial<Language> & { readonly clock?: Clock; readonly limitMs?: number; readonly starting?: () => void } = {},
  ) {
    this.rig = new ExtensionRig({
      clock,
      environment: async () => {
        starting();
        return process.env;
      },
    });
    this.write(TEXT);
    const spec = program("lsp-server", habits, { LSP_LOG: this.log });
    const words: Language = {
      id: "words",
      name: "Words",
      files: { ".words": "words" },
      programs: [{ command: spec.command, args: spec.args, env: spec.env }],
      isConfigured: true,
      install: "Look at it",
      ...overrides,
    };
    this.servers = new Servers(this.rig.fixture, { languages: [words], limitMs });
  }

  get folder(): string {
    return this.#folder.path;
  }
  get file(): string {
    return path.join(this.folder, "a.words");
  }
  write(text: string, name = "a.words"): void {
    writeFileSync(path.join(this.folder, name), text);
  }
  received(): readonly string[] {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").trim().split("\n") : [];
  }
  times(method: string): number {
    return this.received().filter(each => each === method).length;
  }

  ask(operation: IdeOperation, signal = new AbortController().signal): Promise<IdeAnswer> {
    return this.servers.operate(
      { ...operation, folders: [this.folder] },
      { signal, progress: message => this.progress.push(message), permit: start => this.permit(start) },
    );
  }
  at(operation: "definition" | "references" | "hover", symbol: string, line?: number): Promise<IdeAnswer> {
    return this.ask({ operation, path: this.file, at: { symbol, ...(line === undefined ? {} : { line }) } });
  }
  async hover(symbol: string): Promise<string> {
    const answer = await this.at("hover", symbol);
    return answer.kind === "hover" ? answer.text : "";
  }
  async problems(): Promise<readonly string[]> {
    const answer = await this.ask({ operation: "diagnostics", path: this.file });
    return answer.kind === "diagnostics"
      ? answer.diagnostics.map(
          ({ range, severity, code, text }) =>
            `${range.start.line}:${range.start.character} ${severity} ${code} ${text}`,
        )
      : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.servers.close();
    if (process.platform === "linux") deepEqual(census(this.rig.run), []);
    this.rig[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }
}

/** A clock that delays the timers of `delayedMs` until the test fires them. */
export class DelayingClock implements Clock {
  readonly #clock = hurriedClock(5);
  readonly delayed: (() => void)[] = [];

  constructor(private readonly delayedMs: number) {}

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, expired: () => void): Disposable {
    if (ms !== this.delayedMs) return this.#clock.after(ms, expired);
    this.delayed.push(expired);
    return {
      [Symbol.dispose]: () => {
        this.delayed.splice(this.delayed.indexOf(expired), 1);
      },
    };
  }
}

export const hasMessage =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof RpcError && (match(error.message, pattern), true);
export const places = (answer: IdeAnswer): readonly string[] =>
  answer.kind === "locations"
    ? answer.locations.map(({ range, text }) => `${range.start.line}:${range.start.character} ${text}`)
    : [];
export const ALL = ["0:8 error 7 one two BAD  ", "2:4 warning odd two ODD heard"];
