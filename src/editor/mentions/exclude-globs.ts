/**
 * Builds one exclude glob for VS Code's file search, so that large ignored folders do not exhaust the result limit.
 * Pure.
 */
import type { IgnoreFile } from "./ignore-rules";

const MAX_EXPANSIONS = 64;

/**
 * Globs of a setting such as `search.exclude`. Conditional entries (`{"when": …}`) are skipped, because a glob cannot
 * express them.
 */
export function globsOfSetting(setting: unknown): readonly string[] {
  return typeof setting === "object" && setting !== null
    ? Object.entries(setting)
        .filter(([, value]) => value === true)
        .map(([glob]) => glob)
    : [];
}

/**
 * Converts plain names and paths only, so that the globs match only ignored files. `IgnoreRules` filters the rest.
 * Returns no globs if a rule is negated.
 */
export function globsOfIgnore({ folder, text }: IgnoreFile): readonly string[] {
  const lines = text
    .split(/\r?\n/)
    .map(line => line.trimEnd())
    .filter(line => line !== "" && !line.startsWith("#"));
  if (lines.some(line => line.startsWith("!"))) return [];
  return lines.flatMap(line => {
    const [, anchor, path, isFolder] = /^(\/?)([\w.@-]+(?:\/[\w.@-]+)*)(\/?)$/.exec(line) ?? [];
    if (path === undefined || !/^[\w./@-]*$/.test(folder)) return [];
    const base = folder === "" ? "" : `${folder}/`;
    const pattern = anchor === "/" || path.includes("/") ? `${base}${path}` : `${base}**/${path}`;
    return isFolder === "/" ? [`${pattern}/**`] : [pattern, `${pattern}/**`];
  });
}

/**
 * Combines the globs into one; `undefined` if there are none. Expands nested braces, which VS Code does not support.
 */
export function anyOf(globs: readonly string[]): string | undefined {
  const plain = [...new Set(globs.flatMap(expanded))].filter(glob => !/[{},]/.test(glob));
  return plain.length === 0 ? undefined : `{${plain.join(",")}}`;
}

/** `a.{b,c}` → `a.b`, `a.c`. */
function expanded(glob: string): readonly string[] {
  let open = [glob];
  const done: string[] = [];
  for (let rounds = 0; open.length > 0 && rounds < MAX_EXPANSIONS; rounds++) {
    open = open
      .flatMap(item => {
        const [whole, inner] = /\{([^{}]*)\}/.exec(item) ?? [];
        if (whole !== undefined && inner !== undefined)
          return inner.split(",").map(part => item.replace(whole, () => part));
        done.push(item);
        return [];
      })
      .slice(0, MAX_EXPANSIONS);
  }
  return done;
}

/**
 * Matches files whose path contains these characters in this order, with `/` between folders. Used if the index is
 * incomplete.
 */
export function globOfQuery(query: string): string {
  return `**/*${[...query].map(character => (character === "/" || character === "\\" ? "/**/*" : `${eitherCase(character)}*`)).join("")}`;
}

function eitherCase(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  if (/^[a-z]$/i.test(character)) return `[${lower}${upper}]`;
  return /^[\p{N}_.-]$/u.test(character) ? character : "?";
}
