/** Choices that need an installation, and the start of an installed version. Pure. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { Environment } from "../../../src/protocol/agents/distribution";
import type { AgentCommand } from "../distributions/agent-command";
import { missingSentence, type Choice, type Missing } from "../distributions/choose";
import { InstallError } from "./store/install-error";
import type { AcceptedVersion } from "./install-options";
import { isOf, satisfies, type Source } from "./store/manifest";
import type { Installed } from "./store/store";

export type Installable = Exclude<Choice, { kind: "local" | "symposium" | "http" }>;

export function isInstallable(choice: Choice): choice is Installable {
  return choice.kind !== "local" && choice.kind !== "symposium" && choice.kind !== "http";
}

/** Returns the store's source of an installation. */
export function sourceOf(choice: Installable): Source {
  const named = <K extends Source["kind"]>(
    kind: K,
    name: string,
    cmd: string | undefined,
    requested: string | undefined,
  ): Source => ({
    kind,
    name,
    ...(cmd === undefined ? {} : { cmd }),
    ...(requested === undefined ? {} : { asked: requested }),
  });
  switch (choice.kind) {
    case "npx":
      return named("npm", choice.spec.name, choice.of.cmd, choice.spec.version);
    case "uvx":
    case "pipx":
      return named(
        "python",
        `${choice.spec.name}${choice.spec.extras}`,
        choice.of.cmd,
        choice.spec.version === "latest" ? undefined : choice.spec.version,
      );
    case "cargo":
      return named("cargo", choice.of.crate, choice.of.binary, choice.of.version);
    case "binary":
      return named("binary", choice.of.archive, choice.of.cmd, choice.of.sha256?.toLowerCase());
  }
}

export function unavailable(name: string, missing: Missing): InstallError {
  const advice =
    missing.tools.length > 0 ? l10n.t("Install it. If it is still not found, restart your editor.") : undefined;
  return new InstallError(missing.tools.length > 0 ? "noTool" : "noPlatform", missingSentence(name, missing), {
    advice,
  });
}

/** `all`: the newest first. */
export function startable(all: readonly Installed[], source: Source, accepted: AcceptedVersion): Installed | undefined {
  return (
    all.find(installed => satisfies(source, installed)) ??
    (accepted === "any" ? all.find(installed => isOf(source, installed)) : undefined)
  );
}

/**
 * The configuration takes precedence over the package's metadata. `node`: for a Node script; undefined if it is not
 * found.
 */
export function startCommand(
  { folder, program, runtime, runtimeArgs, args: packageArgs = [], env: packageEnv = {} }: Installed,
  choice: Installable,
  node: string | undefined,
): AgentCommand | undefined {
  const file = path.join(folder, program),
    { args = packageArgs, env: configured = {} }: { readonly args?: readonly string[]; readonly env?: Environment } =
      choice.of,
    env = { ...packageEnv, ...configured };
  if (runtime === undefined) return { kind: "process", command: file, args: [...runtimeArgs, ...args], env };
  return node === undefined
    ? undefined
    : { kind: "process", command: node, args: [...runtimeArgs, file, ...args], env };
}
