/**
 * Order of versions: semver precedence (2.0.0, item 11). Build metadata (`+…`) is ignored. Versions with fewer or more
 * than three numbers, which some registries use, are compared number by number. Pure.
 */
import parse from "semver/functions/parse.js";

/** Negative if `a` precedes `b`. A text that is not a version precedes all versions. */
export function compareVersions(a: string, b: string): number {
  const first = versionOf(a),
    second = versionOf(b);
  return first && second
    ? first.compare(second) || first.compareBuild(second)
    : Number(first !== undefined) - Number(second !== undefined);
}

/** Returns false if either text is not a version. */
export function isNewer(a: string, b: string): boolean {
  return versionOf(b) !== undefined && compareVersions(a, b) > 0;
}

const VERSION = /^v?(\d+(?:\.\d+)*)(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]*)?$/;

/** Numbers after the third take the place of the build metadata, which `compareBuild` compares last. */
function versionOf(text: string): ReturnType<typeof parse> | undefined {
  const [, release, label = ""] = VERSION.exec(text) ?? [],
    [major, minor = "0", patch = "0", ...surplus] = release?.split(".") ?? [];
  if (major === undefined) return undefined;
  const isLoose = true;
  return (
    parse(
      `${major}.${minor}.${patch}${label}${surplus.map((n, i) => (i === 0 ? `+${n}` : `.${n}`)).join("")}`,
      isLoose,
    ) ?? undefined
  );
}
