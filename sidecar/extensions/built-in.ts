/** Built-in extensions by id. Each module is loaded when a chain first uses it. */
import type { ProxyComponent } from "../conductor/component";
import { serveProxy } from "../proxies/serve-proxy";
import type { BuiltInExtension, ExtensionSettings, ExtensionDeps } from "./extension";

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
