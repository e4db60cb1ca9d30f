/** Crate names and versions, and parsing of a requested version. Pure. */

/** Rules of the public registry (cargo book, "The `name` field"). */
export function isCrateName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name);
}

/** Cargo distinguishes `-` and `_`; a `use` declaration does not. */
export function sameName(one: string, other: string): boolean {
  return one.replaceAll("-", "_").toLowerCase() === other.replaceAll("-", "_").toLowerCase();
}

export type Wanted =
  | { readonly kind: "unsaid" }
  /** The newest stable version, even if the workspace has another. */
  | { readonly kind: "latest" }
  /** A complete `version` without build metadata (`+…`). */
  | { readonly kind: "exact"; readonly version: string }
  /** In cargo's syntax. Cargo decides whether it is valid. */
  | { readonly kind: "range"; readonly range: string };

const EXACT = /^=?\s*v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+[0-9A-Za-z.-]+)?$/;
const RANGE = /^[0-9A-Za-z.*^~<>=,+\s-]{1,100}$/;

/**
 * A complete version means exactly that version: the caller has it from a lock file or from documentation. Undefined:
 * neither a version nor a range.
 */
export function wantedIn(asked: string | undefined): Wanted | undefined {
  const text = asked?.trim() ?? "",
    exact = EXACT.exec(text)?.[1];
  if (text === "") return { kind: "unsaid" };
  if (text.toLowerCase() === "latest") return { kind: "latest" };
  if (exact !== undefined) return { kind: "exact", version: exact };
  return RANGE.test(text) ? { kind: "range", range: text.replaceAll(/\s+/g, " ") } : undefined;
}

/** In the syntax of manifests. */
export function requirementOf(wanted: Exclude<Wanted, { readonly kind: "unsaid" }>): string {
  switch (wanted.kind) {
    case "latest":
      return "*";
    case "exact":
      return `=${wanted.version}`;
    case "range":
      return wanted.range;
  }
}

export function withoutBuild(version: string): string {
  return version.split("+", 1)[0] ?? version;
}

/** Semver precedence (2.0.0, item 11): negative if `one` precedes `other`. Build metadata (`+…`) is ignored. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (let i = 0; i < 3; i++) {
    const difference = compareNumbers(a.numbers[i] ?? "0", b.numbers[i] ?? "0");
    if (difference !== 0) return difference;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const difference = comparePre(a.pre[i], b.pre[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): { readonly numbers: readonly string[]; readonly pre: readonly string[] } {
  const text = withoutBuild(version),
    at = text.indexOf("-");
  return at === -1
    ? { numbers: text.split("."), pre: [] }
    : { numbers: text.slice(0, at).split("."), pre: text.slice(at + 1).split(".") };
}

/** Compares as strings, because the numbers may have more digits than a JavaScript number can hold. */
function compareNumbers(one: string, other: string): number {
  const [a, b] = [one.replace(/^0+(?=\d)/, ""), other.replace(/^0+(?=\d)/, "")];
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function comparePre(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1;
  const [a, b] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (a && b) return compareNumbers(one, other);
  if (a !== b) return a ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}
