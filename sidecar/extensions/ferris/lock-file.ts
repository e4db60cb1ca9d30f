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
  return packagesOf(text.split(/\r?\n|\r/));
}

/** The lines of one package until now. `open`: the list of dependencies before its end. */
interface Entry {
  name?: string;
  version?: string;
  source?: string;
  dependencies?: readonly string[];
  open?: string[];
}

/** Reads each line once, so that the time is linear for any content. */
export function packagesOf(lines: Iterable<string>): readonly LockedPackage[] {
  const entries: Entry[] = [];
  let entry: Entry | undefined;
  for (const line of lines) {
    if (line.startsWith("[")) {
      entry = line.trimEnd() === "[[package]]" ? {} : undefined;
      if (entry) entries.push(entry);
    } else if (entry) readLine(entry, line);
  }
  return entries.flatMap(({ name, version, source, dependencies = [] }) =>
    name === undefined || version === undefined
      ? []
      : [{ name, version, source: source === undefined ? undefined : sourceIn(source), dependencies }],
  );
}

const LIST_START = "dependencies = [";

/** The first of several equal keys is used. */
function readLine(entry: Entry, line: string): void {
  if (entry.open) readItems(entry, entry.open, line);
  else if (line.startsWith(LIST_START)) {
    entry.open = [];
    readItems(entry, entry.open, line.slice(LIST_START.length));
  } else {
    const [, key, value] = /^(name|version|source) = "([^"\\]*)"\s*$/.exec(line) ?? [];
    if (key === "name" || key === "version" || key === "source") entry[key] ??= value ?? "";
  }
}

function readItems(entry: Entry, open: string[], line: string): void {
  const end = line.indexOf("]"),
    items = end === -1 ? line : line.slice(0, end);
  for (const [, dependency = ""] of items.matchAll(/"([^"]*)"/g)) open.push(dependency);
  if (end === -1) return;
  entry.dependencies ??= open;
  delete entry.open;
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
