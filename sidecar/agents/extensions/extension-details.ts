/**
 * Details of a chain's extensions in a session: which are active, which are skipped and why, their observed changes,
 * and the delivery of their tools.
 */
import type { Trace } from "../../conductor/component";
import type { ConfigurationEntry } from "../../../src/protocol/agents/own-configuration";
import { DeliveryTracker } from "../../mcp/delivery/delivery-tracker";
import { ChainObserver, type ObservedChanges } from "./chain-observer";
import type { ExtensionChain } from "./extension-chain";
import { toolLines } from "../../mcp/delivery/session-tools";
import { configurationAdvice, missingOf, missingToolsSentence, type Place } from "./missing-tools";
import type { SessionExtensions } from "../../acp/chain-extensions";

/**
 * `trace` and `deliveries` are for the conductor. A chain without extensions has no trace. `agent`: display name.
 * `others`: owner of servers that no extension added. `now`: milliseconds.
 */
export function observedExtensions(
  chain: ExtensionChain,
  { agent, others, place, now, configuration, ownSession }: ObserveOptions,
): ObservedExtensions {
  const { components } = chain;
  const observer = components.length === 0 ? undefined : ChainObserver.over(components, now, ownSession);
  const seenBy = (sessionId: string): readonly ObservedExtension[] => {
    const seen = observer?.of(sessionId) ?? [];
    return chain.all.map(({ config, component, leftOut }) => ({
      config,
      leftOut,
      seen: seen[component ? components.indexOf(component) : -1],
    }));
  };
  const deliveries = new DeliveryTracker(undefined, (sessionId, server) => {
    const adder = components[observer?.adderOf(sessionId, server) ?? -1];
    return chain.all.find(({ component }) => component !== undefined && component === adder)?.config.name ?? others;
  });
  return {
    trace: observer,
    deliveries,
    extensions: {
      of: sessionId => {
        const { servers = [], direct = [] } = deliveries.of(sessionId) ?? {};
        return seenBy(sessionId).map(({ config: { id, name }, leftOut, seen }) => {
          if (leftOut !== undefined) return { id, name, leftOut };
          const added = seen?.setup?.added ?? [],
            tools = servers.filter(({ server }) => added.includes(server)),
            unobserved = direct.filter(server => added.includes(server));
          return {
            id,
            name,
            ...seen,
            ...(tools.length === 0 ? {} : { tools }),
            ...(unobserved.length === 0 ? {} : { direct: unobserved }),
          };
        });
      },
      missingTools: sessionId => {
        const tools = deliveries.tools(sessionId);
        return (
          tools &&
          missingToolsSentence({
            agent,
            ...missingOf(tools),
            place,
            configuration: configurationAdvice(tools, configuration),
          })
        );
      },
      toolLines: sessionId => {
        const tools = deliveries.tools(sessionId);
        return tools ? toolLines(tools) : [];
      },
      canConfigure: sessionId => {
        const tools = deliveries.tools(sessionId);
        return (
          tools !== undefined &&
          tools.servers.some(({ isMissing }) => isMissing) &&
          ["absent", "outdated"].some(kind => kind === configurationAdvice(tools, configuration))
        );
      },
      listen: (sessionId, changed) => {
        const listeners = [observer?.listen(sessionId, changed), deliveries.onChange(sessionId, changed)];
        return {
          [Symbol.dispose]: () => {
            for (const listener of listeners) listener?.[Symbol.dispose]();
          },
        };
      },
    },
  };
}

interface ObserveOptions {
  readonly agent: string;
  readonly others: string | undefined;
  readonly place: Place;
  readonly now: () => number;
  /** See `ChainObserver`. */
  readonly ownSession?: (sessionId: string) => void;
  /** State of the agent's own configuration when its process started. Undefined: no configuration is known. */
  readonly configuration?: ConfigurationEntry["kind"] | undefined;
}

export interface ObservedExtensions {
  readonly extensions: SessionExtensions;
  readonly trace: Trace | undefined;
  readonly deliveries: DeliveryTracker;
}

interface ObservedExtension {
  readonly config: { readonly id: string; readonly name: string };
  readonly leftOut: string | undefined;
  readonly seen: ObservedChanges | undefined;
}

/** Forwards every message to both traces. */
export function bothTraces(first: Trace | undefined, second: Trace | undefined): Trace | undefined {
  if (!first || !second) return first ?? second;
  return {
    message: (...args) => {
      first.message(...args);
      second.message(...args);
    },
  };
}
