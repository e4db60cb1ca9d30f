/** Decides from the mode of an installation which version is installed. Pure. */
import { isExact, type NpmSpec } from "../../../src/protocol/agents/package-spec";
import { isNewer } from "../registry/versions";
import type { InstallMode } from "./install-options";
import type { Manifest, Source } from "./store/manifest";

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
