/** Crate names and versions, and parsing of a requested version. Pure. */

/** Whether the name follows the rules of the public registry (cargo book, "The `name` field"). */
export function isCrateName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name);
}

/** Cargo distinguishes `-` and `_`, but a `use` declaration does not. */
export function sameName(a: string, b: string): boolean {
  return a.replaceAll("-", "_").toLowerCase() === b.replaceAll("-", "_").toLowerCase();
}

export type VersionRequest =
  | { readonly kind: "unsaid" }
  /** The newest stable version, even if the workspace has another. */
  | { readonly kind: "latest" }
  /** A complete `version` without build metadata (`+…`). */
  | { readonly kind: "exact"; readonly version: string }
  /** In cargo's syntax. Cargo validates the range. */
  | { readonly kind: "range"; readonly range: string };

const EXACT = /^=?\s*v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+[0-9A-Za-z.-]+)?$/;
const RANGE = /^[0-9A-Za-z.*^~<>=,+\s-]{1,100}$/;

/**
 * A complete version requires exactly that version, because callers copy it from a lock file or documentation.
 * Undefined: neither a version nor a range.
 */
export function wantedIn(requested: string | undefined): VersionRequest | undefined {
  const text = requested?.trim() ?? "",
    exact = EXACT.exec(text)?.[1];
  if (text === "") return { kind: "unsaid" };
  if (text.toLowerCase() === "latest") return { kind: "latest" };
  if (exact !== undefined) return { kind: "exact", version: exact };
  return RANGE.test(text) ? { kind: "range", range: text.replaceAll(/\s+/g, " ") } : undefined;
}

/** Version requirement in the syntax of manifests. */
export function requirementOf(wanted: Exclude<VersionRequest, { readonly kind: "unsaid" }>): string {
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
