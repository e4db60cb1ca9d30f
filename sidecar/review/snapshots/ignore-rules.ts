/** Ignore rules of a root, as the text of git's `info/exclude`. Pure. */

/**
 * Rules for a folder without a repository: folders that tools create again, each by the name that its tool gives it.
 * Names that people also use for sources (`bin`, `lib`, `vendor`, `env`) are not included.
 */
export const DEFAULT_RULES: readonly string[] = [
  // Packages.
  "node_modules/",
  "bower_components/",
  "jspm_packages/",
  ".venv/",
  "venv/",
  "site-packages/",
  "Pods/",
  ".bundle/",
  // Build output.
  "target/",
  "dist/",
  "build/",
  "out/",
  "_build/",
  "cmake-build-*/",
  "DerivedData/",
  "bazel-*",
  ".next/",
  ".nuxt/",
  ".svelte-kit/",
  ".output/",
  ".angular/",
  "*.egg-info/",
  "*.pyc",
  "*.class",
  "*.o",
  // Caches.
  "__pycache__/",
  ".cache/",
  ".parcel-cache/",
  ".turbo/",
  ".gradle/",
  ".m2/",
  ".mypy_cache/",
  ".pytest_cache/",
  ".ruff_cache/",
  ".tox/",
  ".nox/",
  ".ipynb_checkpoints/",
  ".nyc_output/",
  ".dart_tool/",
  ".terraform/",
  ".stack-work/",
  ".eggs/",
  // Version control, editors and the system.
  ".hg/",
  ".svn/",
  ".jj/",
  ".idea/",
  ".vs/",
  ".history/",
  ".DS_Store",
  "Thumbs.db",
  "*.swp",
];

/** The origin of the rules of a root. */
export type RuleSource =
  | { readonly kind: "folder" }
  /** Contents of the user's `core.excludesFile` and of the repository's `info/exclude`. Undefined: no such file. */
  | { readonly kind: "repository"; readonly user: string | undefined; readonly repository: string | undefined };

/**
 * Later rules win, as between git's own files. `hidden`: a path relative to the root that is never recorded, because
 * the store is inside the root.
 */
export function excludeText(source: RuleSource, hidden?: string): string {
  const parts = source.kind === "folder" ? [DEFAULT_RULES.join("\n")] : [source.user, source.repository];
  return [...parts, hidden === undefined ? undefined : `/${escapedPattern(hidden)}`]
    .filter(part => part !== undefined)
    .map(part => `${part}\n`)
    .join("");
}

/** A pattern that matches exactly this path. */
export function escapedPattern(path: string): string {
  return path
    .replaceAll(/[\\*?[\]]/g, String.raw`\$&`)
    .replace(/ +$/, spaces => spaces.replaceAll(" ", String.raw`\ `));
}
