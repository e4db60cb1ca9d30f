/**
 * `symposium-acp-agent run-with`: runs a chain of proxies and an agent as one ACP agent on stdin and stdout. Without an
 * agent the chain is one proxy.
 *
 *   first message of the client ──▶ processes of literal commands start ──▶ the conductor is loaded, and takes them
 *
 * Invariants:
 * - No component is resolved, installed or started before the client's first message.
 * - All started processes have ended before the promise resolves.
 * - After a kill -9 of this process, the next start ends the remaining processes, which the ledger in
 *   `~/.symposium/cache` lists.
 */
import type { Channel } from "../rpc/channel";
import { realClock } from "../rpc/clock";
import { Scope } from "../rpc/scope";
import type { Installable } from "../../src/protocol/agents/agent-service";
import type { RunWith } from "./command";
import type { ComponentSpec } from "./component-spec";
import { commandStarter, EarlyStart, type StarterFor } from "./run-with/start";
import { endUnrecordedAtEnd, openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import type { ComponentResolver } from "./runtime/component-resolver";
import type { Notify } from "./runtime/log";
import { clientOnStdio, firstInput, firstSignal, flushed, progressOnStderr } from "./runtime/stdio";

export interface RunOptions {
  /** Default: stdin and stdout. */
  readonly client?: Channel;
  /** Resolves when the client has sent its first message. Default: input on stdin. */
  readonly firstMessage?: Promise<void>;
  /** For tests: allows downloads of archives over HTTP from this computer. */
  readonly httpArchives?: boolean;
}

/** Resolves with the exit code. Throws `CannotWrite` before any other work. */
export async function runWith(
  chain: RunWith,
  notify: Notify,
  version: string,
  options: RunOptions = {},
): Promise<number> {
  const code = await conducted(chain, notify, version, options);
  await flushed(realClock);
  return code;
}

async function conducted(
  chain: RunWith,
  notify: Notify,
  version: string,
  { client, firstMessage = firstInput(), ...options }: RunOptions,
): Promise<number> {
  const { traceFolder, registry } = chain;
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const trace =
    traceFolder === undefined
      ? undefined
      : scope.add((await import("./runtime/trace-file")).openTrace(traceFolder, notify));
  const processes = ownProcesses(openOwnLedger(scope, notify), notify),
    signal = firstSignal();
  endUnrecordedAtEnd(scope, notify);
  let loading: Promise<ComponentResolver> | undefined;
  const resolver = (): Promise<ComponentResolver> =>
    (loading ??= import("./runtime/component-resolver").then(({ ComponentResolver: Resolver }) =>
      scope.add(new Resolver({ ...options, version, processes, notify, registry, progress: progressOnStderr })),
    ));
  const deps = { resolver, processes, notify, version },
    starterFor = startedEarly(chain, commandStarter(deps), firstMessage, scope);
  // A message that has already arrived is noticed first: between two immediates, Node reads all inputs.
  for (let turn = 0; turn < 2; turn++)
    await new Promise(resolve => {
      setImmediate(resolve);
    });
  const { runChain } = await import(/* webpackChunkName: "run-with-chain" */ "./run-with/chain");
  return await runChain(chain, { ...deps, client: client ?? clientOnStdio(notify), starterFor, trace, signal }, scope);
}

/** At the first message, starts the literal commands of the chain. */
function startedEarly(
  { proxies, agent }: RunWith,
  starterFor: StarterFor,
  firstMessage: Promise<void>,
  scope: Scope,
): StarterFor {
  const early = new Map<string, EarlyStart>();
  const add = (kind: Installable, { name, command }: ComponentSpec): void => {
    early.set(name, scope.add(new EarlyStart(starterFor(kind, name, command))));
  };
  if (agent?.command.kind === "process") add("agent", { name: agent.name, command: agent.command });
  for (const { name, command } of proxies) if (command.kind === "process") add("extension", { name, command });
  void firstMessage.then(() => {
    for (const start of early.values()) start.begin();
  });
  return (kind, name, command) => early.get(name)?.start ?? starterFor(kind, name, command);
}
