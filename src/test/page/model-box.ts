/**
 * A window for a suite: VS Code's own chat with the scripted agent as its model, and all messages that this agent
 * received.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openBox, ROOT, type Box } from "./harness";
import { ModelChat } from "./model-chat";
import { scripted, seen } from "./scripted";

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
  readonly data?: string;
}

/** A prompt: the agent's session, the user's text, and the other blocks. */
export interface ReceivedPrompt {
  readonly session: string;
  readonly words: string;
  readonly otherBlocks: readonly Block[];
}

/** A call of one of VS Code's tools by the agent, or its result. */
export type ModelStep =
  | { readonly call: number; readonly args: unknown }
  | { readonly result: number; readonly content: readonly Block[] };

interface Message {
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly modeId?: string; readonly prompt?: readonly Block[] };
}

interface Traced {
  readonly type: "request" | "response" | "notification";
  readonly from: string;
  readonly to: string;
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly arguments?: unknown };
  readonly payload?: { readonly content?: readonly Block[]; readonly stopReason?: string };
}

export class ModelBox {
  private constructor(
    readonly box: Box,
    readonly chat: ModelChat,
    private readonly folder: string,
  ) {}

  /**
   * `overrides`: additional settings. `flags`: options of the agent. The log and the trace are not removed, because the
   * agent may still write to them; they are in the temporary folder of the run.
   */
  static async open(
    overrides: Readonly<Record<string, unknown>> = {},
    flags: readonly string[] = [],
  ): Promise<ModelBox> {
    const folder = mkdtempSync(path.join(tmpdir(), "symposium-lm-"));
    const box = await openBox({
      others: [path.join(ROOT, "src/test/page/tools-extension")],
      settings: {
        ...scripted(["--log", path.join(folder, "agent.log"), ...flags]),
        "symposium.enableExperimentalLM": true,
        "symposium.languageModel.bridgeDuplicates": true,
        "symposium.traceDir": path.join(folder, "trace"),
        "chat.byokUtilityModelDefault": "mainAgent",
        // Otherwise the narrow bar has no space for the button of a new chat.
        "workbench.secondarySideBar.showLabels": false,
        ...overrides,
      },
    });
    const chat = await ModelChat.open(box);
    await chat.pick("Scripted");
    return new ModelBox(box, chat, folder);
  }

  /** Modes that were set in the agent, in order. */
  get modes(): readonly string[] {
    return this.onEvent("session/set_mode").map(({ params }) => params?.modeId ?? "");
  }

  /** All messages that the agent received, verbatim. */
  get log(): string {
    const file = path.join(this.folder, "agent.log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Messages of this method that the agent received. */
  onEvent(method: string): readonly Message[] {
    return lines<Message>(this.log).filter(message => message.method === method);
  }

  /** The agent's sessions so far. */
  get sessions(): number {
    return this.onEvent("session/new").length;
  }

  get prompts(): readonly ReceivedPrompt[] {
    return this.onEvent("session/prompt").map(({ params }) => {
      const [first, ...otherBlocks] = params?.prompt ?? [];
      return { session: params?.sessionId ?? "", words: first?.text ?? "", otherBlocks };
    });
  }

  /** The last prompt. */
  get prompt(): ReceivedPrompt {
    return this.prompts.at(-1) ?? { session: "", words: "", otherBlocks: [] };
  }

  /** The quoted history in the last prompt. */
  get quoted(): string {
    return this.prompt.otherBlocks.map(({ text }) => text ?? "").join("\n");
  }

  /** Calls and results in the order of the sidecar's trace. */
  get acts(): readonly ModelStep[] {
    const traced = this.#traced(),
      calls = new Set(traced.filter(({ method, to }) => method === "tools/call" && isTools(to)).map(({ id }) => id));
    return traced.flatMap(({ type, from, to, id = 0, method, params, payload }): readonly ModelStep[] => {
      if (type === "request" && method === "tools/call" && isTools(to)) return [{ call: id, args: params?.arguments }];
      return type === "response" && isTools(from) && calls.has(id) && payload?.content !== undefined
        ? [{ result: id, content: payload.content }]
        : [];
    });
  }

  /** Session ids of the agent's updates, in the order of arrival. */
  get speakers(): readonly string[] {
    return this.#traced().flatMap(({ method, to, params }) =>
      method === "session/update" && to === CLIENT ? (params?.sessionId ?? []) : [],
    );
  }

  /**
   * Records actions from this moment: returns a function that waits for the end of all turns and returns the new ones.
   */
  async acting(): Promise<() => Promise<readonly ModelStep[]>> {
    await this.#allTraced();
    const before = this.acts.length;
    return async () => {
      await this.#allTraced();
      return this.acts.slice(before);
    };
  }

  until(condition: () => boolean, what: string): Promise<void> {
    return seen(() => Promise.resolve(condition()), what, 60_000);
  }

  /**
   * Waits until VS Code has stored a chat with these words and this number of turns. VS Code stores chats every few
   * seconds, and a chat that is left earlier loses its end.
   */
  written(text: string, turns: number): Promise<void> {
    const folder = path.join(this.box.server.userData, "User/workspaceStorage");
    const chats = (): readonly string[] =>
      existsSync(folder)
        ? readdirSync(folder, { recursive: true, encoding: "utf8" })
            .filter(file => /chatSessions[\\/][\w-]+\.jsonl$/.test(file))
            .map(file => readFileSync(path.join(folder, file), "utf8"))
        : [];
    return this.until(
      () =>
        chats().some(
          chat =>
            chat.endsWith("\n") && chat.includes(text) && new Set(chat.match(/"completedAt":\d+/g)).size === turns,
        ),
      "the chat is written down",
    );
  }

  close(): Promise<void> {
    return this.box.close();
  }

  /**
   * Waits until the trace contains the end of every turn. The trace is written with a delay, after the answer is
   * visible.
   */
  #allTraced(): Promise<void> {
    return this.until(() => {
      const traced = this.#traced(),
        prompts = traced.filter(
          ({ type, from, method }) => type === "request" && from === CLIENT && method === "session/prompt",
        ).length;
      return (
        prompts >= this.prompts.length &&
        traced.filter(({ to, payload }) => to === CLIENT && payload?.stopReason !== undefined).length === prompts
      );
    }, "the end of every turn in the trace");
  }

  #traced(): readonly Traced[] {
    const folder = path.join(this.folder, "trace");
    return existsSync(folder)
      ? readdirSync(folder)
          .sort()
          .flatMap(file => lines<Traced>(readFileSync(path.join(folder, file), "utf8")))
      : [];
  }
}

/** Names in a trace; components between client and agent have their number before the name. */
const CLIENT = "client",
  isTools = (name: string): boolean => /^\d+ VS Code's tools$/.test(name);

/** Ignores an incomplete last line. */
function lines<T>(text: string): readonly T[] {
  return text
    .split("\n")
    .slice(0, -1)
    .filter(line => line !== "")
    .map((line): T => JSON.parse(line));
}
