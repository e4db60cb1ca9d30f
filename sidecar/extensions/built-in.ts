/** Built-in extensions by id. Each module is loaded when a chain first uses it. */
import type { ProxyComponent } from "../conductor/component";
import { serveProxy } from "../proxies/serve-proxy";
import type { ExtensionAddition } from "../../src/protocol/agents/agent-service";
import { PROXY_SUBCOMMAND, type ExtensionConfig } from "../../src/protocol/agents/extensions";
import { objectOr } from "../rpc/json";
import type { BuiltInExtension, ExtensionSettings, ExtensionDeps, PreviewDeps } from "./extension";

const LOAD: Readonly<Record<string, () => Promise<BuiltInExtension>>> = {
  sparkle: async () => (await import("./sparkle/extension")).sparkle,
  ferris: async () => (await import("./ferris/extension")).ferris,
  cargo: async () => (await import("./cargo/extension")).cargo,
  workspace: async () => (await import("./workspace/extension")).workspace,
  ide: async () => (await import("./ide/extension")).ide,
};

/** Undefined for an unknown id. */
export async function builtInExtension(id: string): Promise<BuiltInExtension | undefined> {
  return Object.hasOwn(LOAD, id) ? LOAD[id]?.() : undefined;
}

/** The text that a built-in extension adds to a first prompt. Undefined for another program. */
export async function builtInAddition(
  { id, distribution: { symposium }, settings }: ExtensionConfig,
  deps: PreviewDeps,
): Promise<ExtensionAddition | undefined> {
  const [name = ""] = symposium?.subcommand === PROXY_SUBCOMMAND ? (symposium.args ?? []) : [],
    extension = await builtInExtension(name);
  if (!extension) return undefined;
  const text = await extension.preview?.(objectOr(settings), deps);
  return { id, ...(text === undefined ? {} : { text }) };
}

/** Creates the chain component of a built-in extension, named `name`. Undefined for an unknown id. */
export async function builtInComponent(
  id: string,
  name: string,
  settings: ExtensionSettings,
  deps: ExtensionDeps,
  onWarning: (what: string, detail: unknown) => void,
): Promise<ProxyComponent | undefined> {
  const definition = (await builtInExtension(id))?.define(settings, deps);
  return (
    definition && {
      kind: "internal",
      name,
      serve: (client, successor, ids) => serveProxy({ ...definition, name }, client, successor, ids, { onWarning }),
    }
  );
}
