/**
 * Measures the model picker. The first part covers the whole path from VS Code's call to the end of the answer, by the
 * length of the chat (`lm/picker.ts`). The goal is one millisecond more than the agent alone, for any length. For
 * comparison it also measures a process that only forwards bytes (`lm/relay.program.ts`), which is the minimum on this
 * machine.
 *
 * The second part measures the service that `vscodelm` offers to other programs, which send whole histories. 50 chats
 * take turns for 1,000 requests, each with its whole history, VS Code's system text and 48 tools. The same prompts go
 * to the agent alone. Then it measures the memory that the service retains per request after garbage collection.
 *
 * An agent has at most 16 live sessions. With one agent, most requests resume a session first. With four agents, no
 * request does.
 */
import { RECORDED_TOOLS } from "../sidecar/lm/fixtures/recorded";
import { SimulatedChat } from "../sidecar/lm/fixtures/simulated-chat";
import { picker, PIECES, SYSTEM } from "./lm/picker";
import { program, Program } from "./lm/wire";
import { quantile, type Bench, type BenchFixture, type Measured } from "./measure";

interface Plan {
  readonly chats: number;
  readonly warmUp: number;
  readonly requests: number;
}
const FULL: Plan = { chats: 50, warmUp: 500, requests: 1000 },
  QUICK: Plan = { chats: 50, warmUp: 300, requests: 300 };

/** Turns before the first request, and requests of each length. */
const LENGTHS = [10, 100, 600, 1000],
  PICKER_REQUESTS = { full: 90, quick: 30 };
/** Maximum milliseconds in addition to the agent alone. */
const OVERHEAD_GOAL = 1;
/**
 * Bytes that a request may retain: the texts of its turn, 600 here, and their parsed form. `MAX_HISTORY_CHARACTERS`
 * bounds the sum.
 */
const SLOPE_GOAL = 3 * 1024;
const PROBES = 10;

interface Figures {
  readonly service: readonly number[];
  readonly alone: readonly number[];
  readonly bytes: readonly number[];
}

const bench: Bench = async ({ quick, table }) => {
  const plan = quick ? QUICK : FULL,
    rows: Record<string, string | number>[] = [],
    measured: Measured[] = [...(await byLength(quick ? PICKER_REQUESTS.quick : PICKER_REQUESTS.full, table))];
  for (const [agents, what] of [
    [4, "every session live"],
    [1, "most sessions resumed"],
  ] as const) {
    const { service, alone, bytes } = await run(plan, agents);
    const slope = slopeOf(bytes) / (plan.requests / PROBES);
    const [serviceMs, aloneMs] = [median(service), median(alone)];
    rows.push({
      chats: `${plan.chats}, ${what}`,
      requests: plan.requests,
      "p50 ms": round(serviceMs),
      "agent alone p50 ms": round(aloneMs),
      "overhead p50 ms": round(serviceMs - aloneMs),
      "p99 ms": round(quantile(service, 0.99)),
      "bytes kept per request": Math.round(slope),
      "heap MB": round((bytes.at(-1) ?? 0) / 1024 / 1024),
    });
    measured.push(
      {
        what: `a request, ${what}`,
        yardstick: "the prompt to the agent alone",
        ratio: serviceMs / aloneMs,
        milliseconds: { candidate: serviceMs, yardstick: aloneMs },
      },
      { what: `kept per request, ${what}`, yardstick: "3 kB", ratio: slope / SLOPE_GOAL, goal: 1 },
    );
  }
  table({ title: "requests of the model picker", rows });
  return measured;
};
export default bench;

async function byLength(requests: number, table: BenchFixture["table"]): Promise<readonly Measured[]> {
  const rows: Record<string, string | number>[] = [],
    measured: Measured[] = [];
  for (const turns of LENGTHS) {
    const { size, picker: withPicker, alone, relayed, retainedBytes } = await picker(turns, requests),
      overhead = median(withPicker) - median(alone),
      floor = median(relayed) - median(alone);
    rows.push({
      turns,
      requests,
      "history kB": Math.round(size / 1000),
      "p50 ms": round(median(withPicker)),
      "agent alone p50 ms": round(median(alone)),
      "overhead p50 ms": round(overhead),
      "relay's p50 ms": round(floor),
      "p99 ms": round(quantile(withPicker, 0.99)),
      "bytes kept per request": Math.round(retainedBytes),
    });
    measured.push({
      what: `overhead of a request after ${turns} turns`,
      yardstick: "1 ms",
      ratio: overhead / OVERHEAD_GOAL,
      goal: 1,
      milliseconds: { candidate: median(withPicker), yardstick: median(alone) },
    });
  }
  table({ title: "requests of VS Code's model picker, by the length of the chat", rows });
  return measured;
}

/** Both take turns, so that other load on the machine affects both. */
async function run({ chats: count, warmUp, requests }: Plan, agents: number): Promise<Figures> {
  await using service = new Program("service");
  await using agent = new Program("agent");
  await agent.request("initialize", { protocolVersion: 1 });
  const sessionId = (await agent.request("session/new", { cwd: "/", mcpServers: [] })).response.result?.sessionId;
  const chats = Array.from({ length: count }, (_, i) => new SimulatedChat(`conversation ${i}`, `chat ${i}`, "all"));
  const figures = { service: [] as number[], alone: [] as number[], bytes: [] as number[] };
  for (let n = -warmUp; n < requests; n++) {
    const i = ((n + warmUp) * 7) % count,
      chat = chats[i]; // a step of 7 visits each chat once per round
    if (!chat) throw new Error("unknown chat");
    const words = `Go on with number ${n} of ${i}: ${PIECES}`,
      milliseconds = await turn(service, chat, words, i % agents);
    const alone = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
    if (n < 0) continue;
    figures.service.push(milliseconds);
    figures.alone.push(alone.milliseconds);
    if ((n + 1) % (requests / PROBES) === 0) figures.bytes.push(await service.retainedBytes());
  }
  return figures;
}

/** Sends the whole history like VS Code, and appends the answer to it. */
async function turn(service: Program, chat: SimulatedChat, words: string, agent: number): Promise<number> {
  let text = "";
  service.onEvent = ({ params }) => {
    text += params?.part?.value ?? "";
  };
  chat.ask({ id: 0, words, rounds: [], isCut: false });
  const request = chat.request(),
    [, ...messages] = request.messages,
    [system] = request.messages;
  const { milliseconds } = await service.request("lm/provideLanguageModelChatResponse", {
    ...request,
    agent: {
      mcp_server: { name: "agent", command: process.execPath, args: [program("agent"), String(agent)], env: [] },
    },
    options: { ...request.options, tools: RECORDED_TOOLS },
    messages: [{ role: "system", content: [...(system?.content ?? []), { type: "text", value: SYSTEM }] }, ...messages],
  });
  if (text.length < PIECES * 20) throw new Error(`the answer is incomplete: ${text}`);
  chat.last?.rounds.push({ text, calls: [] });
  return milliseconds;
}

/** Slope per step of equally spaced values, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2,
    mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [over, under] = values.reduce(
    ([a, b], value, i) => [a + (i - middle) * (value - mean), b + (i - middle) ** 2],
    [0, 0] as [number, number],
  );
  return over / under;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
