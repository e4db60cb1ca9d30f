/**
 * Starts an agent, sends `initialize` and `session/new`, and stops the agent. Sends no prompt and changes no session of
 * the user.
 *
 * Invariants:
 * - Resolves regardless of the agent's behaviour.
 * - The timeouts are those of a chat, so an agent that a chat can use is not reported as hung.
 * - No process is left running.
 */
import { objectOr } from "../../rpc/json";
import { RpcCode, type RpcError } from "../../rpc/message";
import { ConnectionClosed, methodNotFound, Peer, type Outcome } from "../../rpc/peer";
import { isFolder, statusOf } from "../../process/child";
import { programOf } from "../../mcp/agent-mcp-capabilities";
import { INITIALIZE_LIMIT_MS, NEW_SESSION_LIMIT_MS } from "../../acp/connection";
import { initializeParams } from "../../acp/initialize";
import { startProcess, type ProcessSpec, type ProcessDeps } from "../../process/stdio-process";
import type { Observed } from "./diagnose";
import { AGENT_METHODS } from "../../acp/methods";

export interface ProbeDeps {
  readonly processes: ProcessDeps;
  readonly version: string;
  /** Path of the command on the login shell's PATH. */
  readonly find: (command: string) => string | undefined;
  /** Stops the agent immediately. */
  readonly signal?: AbortSignal;
}

/** Maximum time between the end of the agent's output and its exit. */
const EXIT_MS = 2_000;

export async function probe(spec: ProcessSpec, { processes, version, find, signal }: ProbeDeps): Promise<Observed> {
  const { name, command, cwd } = spec,
    garbage = { lines: 0, first: "" };
  const none: Observed = {
    name,
    command,
    start: { kind: "started" },
    exit: undefined,
    stderr: "",
    garbage,
    initialize: { kind: "none", seconds: INITIALIZE_LIMIT_MS / 1000 },
    session: undefined,
    elsewhere: undefined,
  };
  if (!isFolder(cwd)) return { ...none, start: { kind: "noFolder", folder: cwd } };
  await using agent = startProcess(spec, {
    ...processes,
    log: (message, detail) => {
      if (message === "garbage on stdout" && garbage.lines++ === 0) garbage.first = String(detail["line"]);
      processes.log(message, detail);
    },
  });
  const stop = (): void => void agent[Symbol.asyncDispose]();
  signal?.addEventListener("abort", stop, { once: true });
  using _ = { [Symbol.dispose]: () => signal?.removeEventListener("abort", stop) };
  if (signal?.aborted) stop();
  if (agent.pid === undefined)
    return {
      ...none,
      start: { kind: "failed", errno: await agent.exited.then(() => "", errnoOf) },
      elsewhere: find(command),
    };
  const peer = new Peer(agent.channel, {
    request: request => request.fail(methodNotFound(request.method)),
    notification: () => undefined,
    closed: () => undefined,
  });
  const ask = (method: string, params: unknown, ms: number): Promise<Outcome | "late"> =>
    new Promise(resolve => {
      const late = processes.clock.after(ms, () => resolve("late"));
      peer.call(method, params, outcome => {
        late[Symbol.dispose]();
        resolve(outcome);
      });
    });
  const answer = await ask(AGENT_METHODS.initialize, initializeParams(1, version), INITIALIZE_LIMIT_MS);
  if (answer === "late") return { ...none, garbage, stderr: agent.stderr() };
  const exit = await exitOf(agent.exited, answer, processes);
  if (exit !== undefined) return { ...none, garbage, exit, stderr: agent.stderr() };
  if (!answer.ok)
    return { ...none, garbage, initialize: { kind: "error", message: answer.error.message }, stderr: agent.stderr() };
  const { protocolVersion } = objectOr(answer.result),
    program = programOf(answer.result),
    initialize = { kind: "answered", version: protocolVersion, ...(program === "" ? {} : { program }) } as const;
  const session =
    protocolVersion === 1
      ? sessionIn(await ask(AGENT_METHODS.session_new, { cwd, mcpServers: [] }, NEW_SESSION_LIMIT_MS))
      : undefined;
  return { ...none, garbage, initialize, session, stderr: agent.stderr() };
}

/** Returns undefined if the agent itself responded, which proves that it runs. */
async function exitOf(
  exited: Promise<Parameters<typeof statusOf>[0]>,
  answer: Outcome,
  { clock }: ProcessDeps,
): Promise<string | undefined> {
  if (answer.ok || isFromAgent(answer.error)) return undefined;
  return new Promise(resolve => {
    const late = clock.after(EXIT_MS, () => resolve("its output ended"));
    exited.then(
      exit => {
        late[Symbol.dispose]();
        resolve(statusOf(exit));
      },
      () => undefined,
    );
  });
}

/** False for errors that the peer generates when the agent's output ends. */
function isFromAgent(error: RpcError): boolean {
  return !(error instanceof ConnectionClosed);
}

function sessionIn(answer: Outcome | "late"): Observed["session"] {
  if (answer === "late")
    return { kind: "error", message: `it does not respond within ${NEW_SESSION_LIMIT_MS / 1000} seconds.` };
  if (answer.ok) return { kind: "opened" };
  return answer.error.code === RpcCode.authRequired
    ? { kind: "signIn" }
    : { kind: "error", message: answer.error.message };
}

/** Extracts the system's error code from an `AgentError`. */
function errnoOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
}
