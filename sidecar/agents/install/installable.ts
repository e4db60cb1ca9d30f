/** Choices that need an installation. Pure. */
import * as l10n from "@vscode/l10n";
import { isExact, type NpmSpec } from "../../../src/protocol/agents/package-spec";
import { missingSentence, type Choice, type Missing } from "../distributions/choose";
import { isNewer } from "../registry/versions";
import type { InstallMode } from "./install-options";
import { InstallError } from "./store/install-error";
import type { Manifest, Source } from "./store/manifest";

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

/** The version that the mode requests for an unpinned npm package. */
function requestedVersion({ kind, asked }: Source, mode: InstallMode): string | undefined {
  return typeof mode === "object" && kind === "npm" && (asked === undefined || asked === "latest")
    ? mode.version
    : undefined;
}

/** Whether the mode needs no other version than the installed one. */
export function isUpToDate(source: Source, installed: Pick<Manifest, "release">, mode: InstallMode): boolean {
  const requested = requestedVersion(source, mode);
  if (requested !== undefined) return !isNewer(requested, installed.release);
  switch (mode) {
    case "anew":
      return false;
    case "newest":
      return source.kind === "binary" || isExact(source.asked ?? "");
    default:
      return true;
  }
}

/** The package to install. Throws if the requested version is not exact. */
export function packageToInstall(spec: NpmSpec, source: Source, mode: InstallMode): NpmSpec {
  const version = requestedVersion(source, mode);
  if (version === undefined) return spec;
  if (!isExact(version)) throw new TypeError(`Not an exact version: ${JSON.stringify(version)}`);
  return { ...spec, version };
}

export function unavailable(name: string, missing: Missing): InstallError {
  const advice =
    missing.tools.length > 0 ? l10n.t("Install it. If it is still not found, restart VS Code.") : undefined;
  return new InstallError(missing.tools.length > 0 ? "noTool" : "noPlatform", missingSentence(name, missing), {
    advice,
  });
}
