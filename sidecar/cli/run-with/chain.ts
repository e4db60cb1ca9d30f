/** Runs the chain of `run-with`: the conductor, its reports in the log, and the deliveries of tools. */
import { ChainObserver } from "../../agents/extensions/chain-observer";
import { bothTraces } from "../../agents/extensions/extension-details";
import { missingOf, missingToolsSentence } from "../../agents/extensions/missing-tools";
import type { LastComponent, Notice, Trace } from "../../conductor/component";
import { conduct } from "../../conductor/conductor";
import { DeliveryTracker } from "../../mcp/delivery/delivery-tracker";
import { toolLines, type SessionTools } from "../../mcp/delivery/session-tools";
import type { Channel } from "../../rpc/channel";
import { realClock } from "../../rpc/clock";
import type { Scope } from "../../rpc/scope";
import type { ComponentSpec } from "../component-spec";
import type { RunWith } from "../command";
import type { Notify } from "../runtime/log";
import { endRecordedProcesses } from "../runtime/command-ledger";
import { openEvidence } from "../runtime/tool-evidence";
import type { StarterDeps, StarterFor } from "./start";

export interface ChainDeps extends StarterDeps {
  readonly client: Channel;
  readonly starterFor: StarterFor;
  readonly trace: Trace | undefined;
  /** Resolves with the exit code at the first signal. */
  readonly signal: Promise<number>;
}

/** Resolves with the exit code. `scope` owns the conductor. */
export async function runChain({ proxies, agent }: RunWith, deps: ChainDeps, scope: Scope): Promise<number> {
  const { client, starterFor, notify, version, processes, resolver, trace } = deps;
  const onWarning = (what: string, detail: unknown): void => notify("warn", what, detail);
  const components =
    proxies.length === 0
      ? []
      : await (await import(/* webpackChunkName: "run-with-proxies" */ "./proxies")).proxiesOf(
          proxies,
          { starterFor, onWarning, notify, version, processes, resolver },
          scope,
        );
  const notifications: string[] = [],
    evidence = scope.add(openEvidence(notify));
  const observer = ChainObserver.over(components, () => realClock.now()),
    deliveries = new DeliveryTracker(
      sessionId => reportTools(agent?.name ?? "The agent", deliveries.tools(sessionId), notify),
      (sessionId, server) => components[observer.adderOf(sessionId, server)]?.name,
    );
  // a chain without an agent has no tools
  const observed = agent === undefined || components.length === 0 ? trace : bothTraces(trace, observer);
  const conductor = scope.add(
    conduct(client, {
      proxies: components,
      last: lastOf(agent, starterFor),
      clock: realClock,
      notice: ({ kind, message, cause }: Notice) => {
        notifications.push(message);
        notify(kind === "failed" ? "error" : "warn", message, reason(cause));
      },
      onWarning,
      bridge: { deliveries, evidence },
      ...(observed === undefined ? {} : { trace: observed }),
    }),
  );
  endRecordedProcesses(notify);
  notify("info", "Ready", {
    pid: process.pid,
    version,
    node: process.version,
    proxies: proxies.map(({ name }) => name),
    agent: agent?.name,
  });
  const ended = await Promise.race([conductor.closed, deps.signal]);
  if (typeof ended === "number") {
    notify("info", "Ended by a signal");
    return ended;
  }
  if (ended.component === undefined) {
    notify("info", `The client disconnected: ${ended.message}`, reason(ended.cause));
    return 0;
  }
  if (!notifications.includes(ended.message)) notify("error", ended.message, reason(ended.cause));
  return 1;
}

/**
 * Logs all counts at the end of a session's first completed turn. Warns if the agent did not list the tools of an
 * extension.
 */
function reportTools(agent: string, tools: SessionTools | undefined, notify: Notify): void {
  if (!tools) return;
  notify("info", "Tools of the session", { tools: toolLines(tools) });
  const sentence = missingToolsSentence({ agent, ...missingOf(tools), place: "client" });
  if (sentence !== undefined) notify("warn", sentence);
}

function lastOf(agent: ComponentSpec | undefined, starterFor: StarterFor): LastComponent {
  return agent === undefined
    ? { kind: "successor" }
    : { kind: "agent", name: agent.name, start: starterFor("agent", agent.name, agent.command) };
}

/** Text from stderr is logged as text. */
function reason(cause: unknown): unknown {
  return cause instanceof Error ? String(cause) : cause;
}
