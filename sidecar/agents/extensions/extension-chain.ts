/**
 * Starts the agent extensions of a chain and records which are skipped. Extensions are resolved and installed before
 * the chain starts, so the chain itself never waits for a download.
 *
 * Invariants:
 * - The order is that of the configuration.
 * - An extension that is unavailable or fails before its initialisation is skipped, and the others start. `missing`
 *   lists each skipped extension once, with the reason as a sentence.
 * - `onStatus` receives the outcome of each extension, except after an aborted start.
 */
import * as l10n from "@vscode/l10n";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
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
  /**
   * Resolves the command and installs the extension if needed. Rejects with a sentence for the user, or when `signal`
   * aborts.
   */
  readonly command: (config: ExtensionConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** Creates the built-in extension of this name. Undefined: there is no such extension. */
  readonly builtIn: (config: ExtensionConfig, name: string) => Promise<ProxyComponent | undefined>;
  /** Starts the command in the session's folder. `name`: for messages. */
  readonly start: (name: string, command: AgentCommand) => Promise<Running>;
  /** Cached `initialize` dialect of the program, from earlier chains. */
  readonly memory?: (command: AgentCommand) => DialectMemory | undefined;
  readonly onStatus: (id: string, status: StatusEvent) => void;
}

/**
 * Resolves all available extensions in parallel. `names`: names of the chain's other components. Rejects only with the
 * reason of `signal`.
 */
export async function findExtensions(
  configs: readonly ExtensionConfig[],
  names: readonly string[],
  signal: AbortSignal,
  deps: ExtensionDeps,
): Promise<ExtensionChain> {
  const usedNames = new Set(names);
  const found = await Promise.all(
    configs.map(async (config): Promise<Found> => {
      const { id, name } = config,
        chainName = usedNames.has(name) ? `${name} (${id})` : name;
      usedNames.add(chainName);
      try {
        return { config, component: await proxyOf(config, chainName, signal, deps) };
      } catch (error) {
        return {
          config,
          sentence: sentenceOf(name, error instanceof Error ? error : { message: String(error) }, "is skipped"),
        };
      }
    }),
  );
  signal.throwIfAborted();
  return new ExtensionChain(found, deps.onStatus);
}

type Found = { readonly config: ExtensionConfig } & (
  | { readonly component: ProxyComponent }
  | { readonly sentence: string }
);

/** A built-in extension runs in this process. */
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
  const command = withSettings(config, await deps.command(config, signal));
  if (config.kind === "mcp") return serverComponent(config, name, command, deps);
  const memory = deps.memory?.(command);
  return {
    kind: "external",
    name,
    ...(memory === undefined ? {} : { memory }),
    start: () => deps.start(`“${config.name}”`, command),
  };
}

/** Variable with the user's settings for an external extension, as a JSON object. Absent without settings. */
export const SETTINGS_VARIABLE = "SYMPOSIUM_EXTENSION_SETTINGS";
/** Characters. On Windows, the whole environment of a process has at most 32,767. */
const MAX_SETTINGS = 16_000;

function withSettings({ settings = {} }: ExtensionConfig, command: AgentCommand): AgentCommand {
  if (command.kind !== "process" || Object.keys(settings).length === 0) return command;
  const text = JSON.stringify(settings);
  if (text.length > MAX_SETTINGS) throw new Error(l10n.t`its settings are longer than ${MAX_SETTINGS} characters.`);
  return { ...command, env: { [SETTINGS_VARIABLE]: text, ...command.env } };
}

export class ExtensionChain {
  readonly #missing = new Map<ExtensionConfig, string>();

  constructor(
    private readonly found: readonly Found[],
    private readonly onStatus: ExtensionDeps["onStatus"],
  ) {
    for (const item of found) if ("sentence" in item) this.#skip(item.config, item.sentence);
  }

  /** In order from the client. */
  get components(): readonly ProxyComponent[] {
    return this.found.flatMap(found => ("component" in found ? [found.component] : []));
  }

  /**
   * In order from the client. `leftOut`: why the extension was skipped, as a sentence. Complete when the chain is
   * initialised.
   */
  get all(): readonly {
    readonly config: ExtensionConfig;
    readonly component: ProxyComponent | undefined;
    readonly leftOut: string | undefined;
  }[] {
    return this.found.map(found => ({
      config: found.config,
      component: "component" in found ? found.component : undefined,
      leftOut: this.#missing.get(found.config),
    }));
  }

  /** Complete when the chain is initialised. */
  get missing(): readonly MissingExtension[] {
    return this.found.flatMap(({ config }) => {
      const sentence = this.#missing.get(config);
      return sentence === undefined ? [] : [{ id: config.id, sentence }];
    });
  }

  /** Handles a notice of the conductor. */
  onEvent({ kind, component, message, reason }: Notice): void {
    const config = this.#configOf(component);
    if (config && kind === "bypassed")
      this.#skip(config, reason instanceof AgentError ? sentenceOf(config.name, reason, "is skipped") : message);
  }

  /** Returns the failure's reason, or an explanation if an extension's exit ended the chain. */
  explained(failure: Failure | undefined): Closed | undefined {
    const config = this.#configOf(failure?.component);
    return config && failure?.reason
      ? extensionEnded(sentenceOf(config.name, failure.reason, "has exited"), failure.reason.cause)
      : failure?.reason;
  }

  /** Called when the chain is initialised. When the chain ends, `closed` resolves and `failure` returns the reason. */
  runs(closed: Promise<unknown>, failure: () => Failure | undefined): void {
    for (const found of this.found) {
      if (!("component" in found) || this.#missing.has(found.config)) continue;
      const {
        config: { id, name },
        component,
      } = found;
      this.onStatus(id, { kind: "started" });
      void closed.then(() => {
        const { component: failed, reason } = failure() ?? {};
        this.onStatus(id, {
          kind: "ended",
          ...(failed === component.name && reason ? { why: sentenceOf(name, reason, "has exited") } : {}),
        });
      });
    }
  }

  /** Called when the chain could not be initialised. */
  fell({ component, reason }: Failure = {}): void {
    const config = this.#configOf(component);
    if (config && reason)
      this.onStatus(config.id, { kind: "failed", why: sentenceOf(config.name, reason, "has exited") });
  }

  #configOf(name: string | undefined): ExtensionConfig | undefined {
    return this.found.find(found => "component" in found && found.component.name === name)?.config;
  }

  #skip(config: ExtensionConfig, sentence: string): void {
    this.#missing.set(config, sentence);
    this.onStatus(config.id, { kind: "failed", why: sentence });
  }
}

/** The component that ended a chain, and the reported reason. */
interface Failure {
  readonly component?: string;
  readonly reason?: Closed;
}

/** Uses the `what` of an `AgentError`: it names the process, without the advice for the agent's user. */
function sentenceOf(name: string, reason: Closed, what: "is skipped" | "has exited"): string {
  if (reason instanceof AgentError) return l10n.t`The agent extension ${reason.what}`;
  return what === "is skipped"
    ? l10n.t`The agent extension “${name}” is skipped: ${reason.message}`
    : l10n.t`The agent extension “${name}” has exited: ${reason.message}`;
}
