/**
 * Requests of the model picker by the length of the chat. The provider receives the whole history, VS Code's system
 * text and 48 tools. The agent alone receives the same prompt.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { RECORDED_TOOLS } from "../../sidecar/lm/fixtures/recorded";
import { SimulatedChat, type SimulatedTurn } from "../../sidecar/lm/fixtures/simulated-chat";
import type { ChatRequest } from "../../src/protocol/lm/lm";
import { deliver, Host } from "./host";
import { Program } from "./wire";

export interface PickerFigures {
  readonly turns: number;
  /** Characters of the whole request as JSON. */
  readonly size: number;
  readonly picker: readonly number[];
  readonly alone: readonly number[];
  /** The agent alone behind a process that only forwards bytes. */
  readonly relayed: readonly number[];
  /** Bytes that a request retains on the sidecar's heap. */
  readonly retainedBytes: number;
}

/** Text chunks of an answer. */
export const PIECES = 20;
/** The text before every conversation, as long as VS Code's. */
export const SYSTEM = "You are an assistant. ".repeat(680);
/** Characters of a prompt, and of an answer in the history. */
const PROMPT_LENGTH = 1_000,
  ANSWER_LENGTH = 1_000;
/** Number of separate histories. The chats take turns. */
const CHATS = 3;
const WARM_UP = 5;

export async function picker(turns: number, requests: number): Promise<PickerFigures> {
  await using host = new Host();
  await using agent = new Program("agent");
  await using relay = new Program("relay");
  await host.hello();
  const sessions = { agent: await sessionOf(agent), relay: await sessionOf(relay) };
  const chats = Array.from({ length: CHATS }, (_, i) => chatOf(i, turns)),
    figures = { picker: [] as number[], alone: [] as number[], relayed: [] as number[] };
  let size = 0,
    before = 0;
  for (let n = -WARM_UP * CHATS; n < requests; n++) {
    if (n === 0) before = await host.heap();
    const chat = chats[(n + WARM_UP * CHATS) % CHATS],
      words = `Go on with number ${n}: ${PIECES}`;
    if (!chat) throw new Error("unknown chat");
    chat.ask({ id: 0, words, rounds: [], isCut: false });
    const request = whole(chat),
      delivered = deliver(request);
    size = JSON.stringify(request.messages).length;
    await idle(); // pending work of the delivery belongs to VS Code
    const { text, milliseconds } = await host.respond(delivered);
    if (text.length < PIECES * 20) throw new Error(`the answer is incomplete: ${text}`);
    chat.last?.rounds.push({ text, calls: [] });
    await idle();
    const alone = await agent.request("session/prompt", {
      sessionId: sessions.agent,
      prompt: [{ type: "text", text: words }],
    });
    await idle();
    const relayed = await relay.request("session/prompt", {
      sessionId: sessions.relay,
      prompt: [{ type: "text", text: words }],
    });
    if (n < 0) continue;
    figures.picker.push(milliseconds);
    figures.alone.push(alone.milliseconds);
    figures.relayed.push(relayed.milliseconds);
  }
  return { turns, size, ...figures, retainedBytes: ((await host.heap()) - before) / requests };
}

async function sessionOf(agent: Program): Promise<string | undefined> {
  await agent.request("initialize", { protocolVersion: 1 });
  return (await agent.request("session/new", { cwd: "/", mcpServers: [] })).response.result?.sessionId;
}

function chatOf(i: number, turns: number): SimulatedChat {
  const chat = new SimulatedChat(`conversation ${i}`, `chat ${i}`, "all");
  for (let n = 0; n < turns; n++) chat.ask(turnOf(i, n));
  return chat;
}

/** Every second turn calls a tool. */
function turnOf(i: number, n: number): SimulatedTurn {
  const answer = `Answer ${n} of ${i}. `.padEnd(ANSWER_LENGTH, "It says much. "),
    calls = n % 2 === 0 ? [] : [{ id: `call ${i} ${n}`, result: `Result ${n}. `.padEnd(ANSWER_LENGTH, "and more ") }];
  return {
    id: 0,
    words: `Question ${n} of ${i}. `.padEnd(PROMPT_LENGTH, "Why is it so? "),
    isCut: false,
    rounds: [...(calls.length > 0 ? [{ text: "I look.", calls }] : []), { text: answer, calls: [] }],
  };
}

function whole(chat: SimulatedChat): ChatRequest {
  const request = chat.request(),
    [system, ...messages] = request.messages;
  return {
    ...request,
    messages: [{ role: "system", content: [...(system?.content ?? []), { type: "text", value: SYSTEM }] }, ...messages],
    options: { ...request.options, tools: RECORDED_TOOLS },
  };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { readonly type: "minor" }) => void; // the function that V8 exposes

/** Collects the garbage of a delivery before the measurement, because VS Code causes it. */
function idle(): Promise<void> {
  collect({ type: "minor" });
  return new Promise(resolve => setTimeout(resolve, 2));
}
