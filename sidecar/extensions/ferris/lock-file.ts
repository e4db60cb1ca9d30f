/**
 * Reading a `Cargo.lock`. Cargo writes it by itself, one entry a line, so that no reader of all of TOML is needed.
 * Pure, lenient, and never throws.
 */

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Absent: it is part of the workspace, or lies in a folder. */
  readonly source: PackageSource | undefined;
  /** `NAME`, or where there are several of that name `NAME VERSION`, or that with `(SOURCE)` behind it. */
  readonly dependencies: readonly string[];
}

export type PackageSource =
  /** `index` as `registry-index` has it. */
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
  const list = /^dependencies = \[([^\]]*)\]/m.exec(own)?.[1] ?? "";
  return [
    {
      name,
      version,
      source: source === undefined ? undefined : sourceIn(source),
      dependencies: [...list.matchAll(/"([^"]*)"/g)].map(([, dependency]) => dependency ?? ""),
    },
  ];
}

function valueIn(block: string, key: "name" | "version" | "source"): string | undefined {
  return new RegExp(`^${key} = "([^"\\\\]*)"\\s*$`, "m").exec(block)?.[1];
}

/**
 * As cargo writes the place of a package (cargo book, "Package ID Specifications"); one of a kind that is not known
 * counts as a folder.
 */
function sourceIn(text: string): PackageSource | undefined {
  const git = /^git\+([^#?]+)(?:\?[^#]*)?#([0-9a-f]{7,64})$/.exec(text),
    [, url, commit] = git ?? [];
  if (url !== undefined && commit !== undefined) return { kind: "git", url, commit };
  if (text.startsWith("registry+")) return { kind: "registry", index: text.slice("registry+".length) };
  return text.startsWith("sparse+") ? { kind: "registry", index: text } : undefined;
}

/** Whether `dependency`, an entry of a package's `dependencies`, is this one. */
export function isDependency(dependency: string, { name, version }: Pick<LockedPackage, "name" | "version">): boolean {
  const [called, of] = dependency.split(" ");
  return called === name && (of === undefined || of === version);
}
