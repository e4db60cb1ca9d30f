/**
 * The tool that researches a question about a crate. It queues researches, reports progress to the user and to the
 * caller, and caches answers.
 *
 * Invariant: a call settles when its caller cancels it, its session's turn is cancelled, or the chain ends. All
 * resources of the call are then released.
 */
import { randomUUID } from "node:crypto";
import { resolveInWorkspace } from "../../permissions/workspace-boundary";
import type { AcpVersion } from "../../acp/initialize";
import type { Chain } from "../../proxies/proxy";
import type { Clock } from "../../rpc/clock";
import { stringOr } from "../../rpc/json";
import type { SessionPlace } from "../session-tools";
import { ToolFailure, type Tool, type ToolCall } from "../tool";
import type { CrateSource } from "./crate-sources";
import { CRATE_NAME, READS, type FindSource } from "./crate-tools";
import { findEscapingLink } from "./escaping-links";
import { Research } from "./research";
import { ResearchCard } from "./research-card";
import { ResearchQueue } from "./research-queue";
import type { Ended } from "./research-state";

export interface QueryDeps {
  readonly chain: Chain;
  readonly clock: Clock;
  /** Symposium's version. */
  readonly version: string;
  readonly acp: () => AcpVersion;
  readonly keepsAnswers: boolean;
}

/** Maximum numbers of running and of queued researches. */
const MAX_RUNNING = 2,
  MAX_WAITING = 8;
const MAX_ANSWERS = 50,
  MAX_QUESTION = 20_000;

/** All researches of one chain. */
export class ResearchTool {
  readonly #queue = new ResearchQueue(MAX_RUNNING, MAX_WAITING);
  /** Researches that are queued or running, with the requesting session. */
  readonly #active = new Map<Research, SessionPlace>();
  /** Calls with a pending source lookup. */
  readonly #lookups = new Map<AbortController, SessionPlace>();
  readonly #answers = new Map<string, string>();
  #count = 0;

  constructor(private readonly deps: QueryDeps) {}

  /** Creates the tool of one session. `hasCrateSources`: the session also has `crate_sources`. */
  tool(place: SessionPlace, find: FindSource, hasCrateSources: boolean): Tool {
    const lookup = hasCrateSources ? "; for a look at one file use crate_sources and read it yourself" : "";
    return {
      name: "rust_crate_query",
      title: "Rust crate research",
      annotations: { ...READS, idempotentHint: false },
      description: `Ask a question about a Rust crate: a second agent reads the crate's source and answers. It takes up to a few minutes${lookup}. Ask for all you need in one question.`,
      inputSchema: {
        type: "object",
        required: ["crate_name", "prompt"],
        properties: {
          crate_name: CRATE_NAME,
          prompt: { type: "string", description: "The question, in whole sentences" },
          crate_version: {
            type: "string",
            description:
              'A version (1.2.3), a range as in Cargo.toml (^1.2), or "latest". Without it: the version that this workspace uses, else the newest stable one',
          },
        },
      },
      call: async ({ crate_name: name, crate_version: version, prompt }, call) => {
        const question = stringOr(prompt, "").trim();
        if (question === "" || question.length > MAX_QUESTION)
          throw new ToolFailure(
            question === ""
              ? "The prompt is empty. Enter a question."
              : `The prompt is longer than ${MAX_QUESTION} characters.`,
          );
        const source = await this.#findSource(place, call, lookupCall =>
          find({ name: stringOr(name, "").trim(), version: stringOr(version, undefined) }, lookupCall),
        );
        return this.#answer(source, question, place, find, call);
      },
    };
  }

  /** The client cancelled the session's turn. */
  cancelled(sessionId: string): void {
    for (const [pendingLookup, place] of this.#lookups)
      if (place.sessionId() === sessionId) pendingLookup.abort(new ToolFailure("The turn was stopped."));
    for (const [research, place] of this.#active)
      if (place.sessionId() === sessionId) research.post({ kind: "withdrawn" });
  }

  /** The chain ended. */
  close(): void {
    for (const research of this.#active.keys()) research.post({ kind: "chainEnded" });
  }

  /** Not every agent cancels the call when its turn is cancelled. */
  async #findSource(
    place: SessionPlace,
    call: ToolCall,
    find: (call: ToolCall) => Promise<CrateSource>,
  ): Promise<CrateSource> {
    const pendingLookup = new AbortController();
    this.#lookups.set(pendingLookup, place);
    try {
      const source = await find({
        signal: AbortSignal.any([call.signal, pendingLookup.signal]),
        progress: message => call.progress(message),
      });
      pendingLookup.signal.throwIfAborted();
      return source;
    } finally {
      this.#lookups.delete(pendingLookup);
    }
  }

  async #answer(
    source: CrateSource,
    question: string,
    place: SessionPlace,
    find: FindSource,
    call: ToolCall,
  ): Promise<string> {
    const key = JSON.stringify([source.name, source.version, source.folder, question]),
      cached = this.#answers.get(key);
    if (cached !== undefined) return answerOf(source, cached);
    await checkPlace(source, place);
    const end = await this.#research(source, question, place, find, call);
    if (end.kind === "failed")
      throw new ToolFailure(
        `The research ended without an answer: ${end.why}. You can read the source of ${source.name} ${source.version} yourself: ${source.folder}`,
      );
    if (end.by === "words")
      return answerOf(
        source,
        `(The research ended without a response by its tool. The last message of its agent follows.)\n\n${end.text}`,
      );
    if (this.deps.keepsAnswers && source.origin === "published") this.#cacheAnswer(key, end.text);
    return answerOf(source, end.text);
  }

  #cacheAnswer(key: string, answer: string): void {
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
  }

  async #research(
    source: CrateSource,
    question: string,
    place: SessionPlace,
    find: FindSource,
    call: ToolCall,
  ): Promise<Ended> {
    const { chain, clock, version, acp } = this.deps,
      number = ++this.#count,
      card = this.#card(source, question, place),
      since = clock.now();
    const notify = (show: ((line: string) => void) | undefined, line: string): void => {
      show?.(line);
      call.progress(line);
    };
    const research = new Research(
      { source, question, server: number === 1 ? "ferris-research" : `ferris-research-${number}`, acp: acp() },
      {
        chain,
        clock,
        version,
        find,
        onStart: () => notify(line => card?.begin(line), `A second agent reads ${source.name} ${source.version}.`),
        did: title => notify(line => card?.did(line), title),
      },
    );
    this.#active.set(research, place);
    const withdraw = (): void => research.post({ kind: "withdrawn" });
    call.signal.addEventListener("abort", withdraw);
    if (call.signal.aborted) withdraw();
    using slot = this.#queue.join(() => research.post({ kind: "admitted" }));
    try {
      if (!slot)
        throw new ToolFailure(
          `${MAX_RUNNING} researches are running and ${MAX_WAITING} are waiting. Try again later, or read the source yourself: ${source.folder}`,
        );
      if (slot.behind > 0)
        notify(
          line => card?.waits(line),
          `Waiting: ${slot.behind} ${slot.behind === 1 ? "research is" : "researches are"} ahead of it.`,
        );
      const end = await research.ended,
        seconds = Math.round((clock.now() - since) / 1000);
      card?.end(
        end.kind === "answered" ? "completed" : "failed",
        end.kind === "answered"
          ? `Answered after ${seconds} s, in ${card.steps} ${card.steps === 1 ? "step" : "steps"}.`
          : `No answer: ${end.why}.`,
      );
      return end;
    } finally {
      card?.end("failed", "No answer.");
      call.signal.removeEventListener("abort", withdraw);
      this.#active.delete(research);
    }
  }

  /** Undefined until the agent has returned the session id. */
  #card({ name, version, folder }: CrateSource, question: string, place: SessionPlace): ResearchCard | undefined {
    const sessionId = place.sessionId(),
      shown = question.replaceAll(/\s+/g, " ");
    return sessionId === undefined
      ? undefined
      : new ResearchCard(
          this.deps.chain.client,
          {
            sessionId,
            toolCallId: `ferris-research-${randomUUID()}`,
            folder,
            title: `Research in ${name} ${version}: ${shown.length > 100 ? `${shown.slice(0, 100)}…` : shown}`,
            input: { crate_name: name, crate_version: version, prompt: question },
          },
          this.deps.acp(),
        );
  }
}

/** Research without consent requires that the source is published or inside the session's folders. */
async function checkPlace({ name, version, folder, origin }: CrateSource, { folders }: SessionPlace): Promise<void> {
  const out =
    origin === "published"
      ? await findEscapingLink(folder)
      : (await resolveInWorkspace(folder, folders)).isInside
        ? undefined
        : "";
  if (out === undefined) return;
  throw new ToolFailure(
    out === ""
      ? `${name} ${version} is in ${folder}, which is outside of this session's folders. Ferris does not research there without permission. Read it yourself.`
      : `${name} ${version} has a link that points outside of its folder (${out}), so Ferris does not research it. Its source is in ${folder}.`,
  );
}

/** Text only, because the model would receive a member of an object with JSON escapes. */
function answerOf({ name, version, folder }: CrateSource, response: string): string {
  return `${response}\n\n(${name} ${version}, from its source in ${folder})`;
}
