/**
 * The agent extensions of a chain: how each is started, and what becomes of those that cannot be. What a user
 * configured is found, or installed, before the chain is begun, so that nothing in it waits for a download.
 *
 * Invariants: their order is the configuration's; one that cannot be had, or fails before it is initialised, is left
 * out alone, and stands in `missing` once, with a sentence; the witness hears of each how it went, and nothing of a
 * start that nobody waits for any more.
 */
import type { ExtensionConfig } from "../../../src/protocol/extensions";
import type { MissingExtension } from "../../acp/chain-extensions";
import type { Notice, ProxyComponent, Running } from "../../conductor/component";
import type { DialectMemory } from "../../conductor/proxy-dialect";
import { AgentError, extensionEnded, notBuiltIn } from "../../errors";
import type { Closed } from "../../rpc/channel";
import type { StatusEvent } from "../agent-status-tracker";
import type { AgentCommand } from "../distributions/agent-command";
import { addressIn } from "../distributions/server-address";
import { addressComponent, serverComponent, type McpExtensionDeps } from "./mcp-extension";

export interface ExtensionDeps extends McpExtensionDeps {
  /** Installs it where that is needed. Rejects with a sentence for the user, or when `signal` aborts. */
  readonly command: (config: ExtensionConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** One that is part of this program, under this name; undefined: it is not. */
  readonly builtIn: (config: ExtensionConfig, name: string) => Promise<ProxyComponent | undefined>;
  /** In the session's folder. `name`: for sentences. */
  readonly start: (name: string, command: AgentCommand) => Promise<Running>;
  /** What is known of the program from earlier chains. */
  readonly memory?: (command: AgentCommand) => DialectMemory | undefined;
  readonly saw: (id: string, sight: StatusEvent) => void;
}

/**
 * All that can be had of them; takes as long as the slowest installation. `names`: of what else is in the chain.
 * Rejects only with the reason of `signal`.
 */
export async function findExtensions(
  configs: readonly ExtensionConfig[],
  names: readonly string[],
  signal: AbortSignal,
  deps: ExtensionDeps,
): Promise<ExtensionChain> {
  const taken = new Set(names);
  const found = await Promise.all(
    configs.map(async (config): Promise<Found> => {
      const { id, name } = config,
        called = taken.has(name) ? `${name} (${id})` : name;
      taken.add(called);
      try {
        return { config, component: await proxyOf(config, called, signal, deps) };
      } catch (error) {
        return {
          config,
          sentence: sentenceOf(name, error instanceof Error ? error : { message: String(error) }, "is left out"),
        };
      }
    }),
  );
  signal.throwIfAborted();
  return new ExtensionChain(found, deps.saw);
}

type Found = { readonly config: ExtensionConfig } & (
  | { readonly component: ProxyComponent }
  | { readonly sentence: string }
);

/** What is part of this program runs in it, without a process. */
async function proxyOf(
  config: ExtensionConfig,
  name: string,
  signal: AbortSignal,
  deps: ExtensionDeps,
): Promise<ProxyComponent> {
  const { symposium, local, executable } = config.distribution;
  if (symposium && !local && !executable) {
    const component = await deps.builtIn(config, name);
    if (!component) throw notBuiltIn(config.name);
    return component;
  }
  const address = config.kind === "mcp" ? addressIn(config.distribution) : undefined;
  if (address) return addressComponent(config, name, address, deps);
  const command = await deps.command(config, signal);
  if (config.kind === "mcp") return serverComponent(config, name, command, deps);
  const memory = deps.memory?.(command);
  return {
    kind: "external",
    name,
    ...(memory === undefined ? {} : { memory }),
    start: () => deps.start(quoted(config.name), command),
  };
}

export class ExtensionChain {
  readonly #missing = new Map<ExtensionConfig, string>();

  constructor(
    private readonly found: readonly Found[],
    private readonly saw: ExtensionDeps["saw"],
  ) {
    for (const one of found) if ("sentence" in one) this.#lost(one.config, one.sentence);
  }

  /** From the client on. */
  get components(): readonly ProxyComponent[] {
    return this.found.flatMap(one => ("component" in one ? [one.component] : []));
  }

  /**
   * From the client on. `leftOut`: why it is not there, a sentence; known of all as soon as the chain is initialised.
   */
  get all(): readonly {
    readonly config: ExtensionConfig;
    readonly component: ProxyComponent | undefined;
    readonly leftOut: string | undefined;
  }[] {
    return this.found.map(one => ({
      config: one.config,
      component: "component" in one ? one.component : undefined,
      leftOut: this.#missing.get(one.config),
    }));
  }

  /** Complete as soon as the chain is initialised. */
  get missing(): readonly MissingExtension[] {
    return this.found.flatMap(({ config }) => {
      const sentence = this.#missing.get(config);
      return sentence === undefined ? [] : [{ id: config.id, sentence }];
    });
  }

  /** What the conductor says of the chain. */
  heard({ kind, component, message, reason }: Notice): void {
    const config = this.#named(component);
    if (config && kind === "bypassed")
      this.#lost(config, reason instanceof AgentError ? sentenceOf(config.name, reason, "is left out") : message);
  }

  /** The same, or what is to be told when it was an extension's end that ended the chain. */
  explained(failure: Failure | undefined): Closed | undefined {
    const config = this.#named(failure?.component);
    return config && failure?.reason
      ? extensionEnded(sentenceOf(config.name, failure.reason, "has ended"), failure.reason.cause)
      : failure?.reason;
  }

  /** The chain is initialised. When it ends, `closed` resolves, and `failure` knows why. */
  runs(closed: Promise<unknown>, failure: () => Failure | undefined): void {
    for (const one of this.found) {
      if (!("component" in one) || this.#missing.has(one.config)) continue;
      const {
        config: { id, name },
        component,
      } = one;
      this.saw(id, { kind: "started" });
      void closed.then(() => {
        const { component: of, reason } = failure() ?? {};
        this.saw(id, {
          kind: "ended",
          ...(of === component.name && reason ? { why: sentenceOf(name, reason, "has ended") } : {}),
        });
      });
    }
  }

  /** The chain could not be initialised. */
  fell({ component, reason }: Failure = {}): void {
    const config = this.#named(component);
    if (config && reason) this.saw(config.id, { kind: "failed", why: sentenceOf(config.name, reason, "has ended") });
  }

  #named(name: string | undefined): ExtensionConfig | undefined {
    return this.found.find(one => "component" in one && one.component.name === name)?.config;
  }

  #lost(config: ExtensionConfig, sentence: string): void {
    this.#missing.set(config, sentence);
    this.saw(config.id, { kind: "failed", why: sentence });
  }
}

/** Which component's end ended a chain, and how that was told. */
interface Failure {
  readonly component?: string;
  readonly reason?: Closed;
}

const quoted = (name: string): string => `“${name}”`;

/** Of a process, by its own name, without the advice for an agent's user. */
function sentenceOf(name: string, reason: Closed, what: "is left out" | "has ended"): string {
  return `The agent extension ${reason instanceof AgentError ? reason.what : `${quoted(name)} ${what}: ${reason.message}`}`;
}
