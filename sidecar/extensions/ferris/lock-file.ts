/**
 * Parses a `Cargo.lock`. Cargo generates it with one entry per line, so a full TOML parser is not needed. Pure,
 * lenient, never throws.
 */

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Undefined for workspace members and path dependencies. */
  readonly source: PackageSource | undefined;
  /** `NAME`; if ambiguous, `NAME VERSION` or `NAME VERSION (SOURCE)`. */
  readonly dependencies: readonly string[];
}

export type PackageSource =
  /** `index`: in the form of cargo's manifest key `registry-index`. */
  | { readonly kind: "registry"; readonly index: string }
  | { readonly kind: "git"; readonly url: string; readonly commit: string };

export function packagesIn(text: string): readonly LockedPackage[] {
  return text
    .split(/^\[\[package\]\]\s*$/m)
    .slice(1)
    .flatMap(packageIn);
}

function packageIn(block: string): LockedPackage[] {
  const own = block.split(/^\[/m, 1)[0] ?? "",
    name = valueIn(own, "name"),
    version = valueIn(own, "version"),
    source = valueIn(own, "source");
  if (name === undefined || version === undefined) return [];
  return [
    {
      name,
      version,
      source: source === undefined ? undefined : sourceIn(source),
      dependencies: dependenciesIn(own),
    },
  ];
}

/** A regular expression would search for the end once for each start, which is quadratic. */
function dependenciesIn(block: string): readonly string[] {
  const [, list = ""] = block.split(/^dependencies = \[/m, 2),
    end = list.indexOf("]");
  return end === -1 ? [] : [...list.slice(0, end).matchAll(/"([^"]*)"/g)].map(([, dependency]) => dependency ?? "");
}

function valueIn(block: string, key: "name" | "version" | "source"): string | undefined {
  return new RegExp(`^${key} = "([^"\\\\]*)"\\s*$`, "m").exec(block)?.[1];
}

/**
 * Parses a source in cargo's format (cargo book, "Package ID Specifications"). An unknown kind counts as a path
 * dependency.
 */
function sourceIn(text: string): PackageSource | undefined {
  const git = /^git\+([^#?]+)(?:\?[^#]*)?#([0-9a-f]{7,64})$/.exec(text),
    [, url, commit] = git ?? [];
  if (url !== undefined && commit !== undefined) return { kind: "git", url, commit };
  if (text.startsWith("registry+")) return { kind: "registry", index: text.slice("registry+".length) };
  return text.startsWith("sparse+") ? { kind: "registry", index: text } : undefined;
}

/** Whether `dependency`, an entry of a package's `dependencies`, refers to this package. */
export function isDependency(dependency: string, { name, version }: Pick<LockedPackage, "name" | "version">): boolean {
  const [requiredName, requiredVersion] = dependency.split(" ");
  return requiredName === name && (requiredVersion === undefined || requiredVersion === version);
}
