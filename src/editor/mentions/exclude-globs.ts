/**
 * Builds one exclude glob for VS Code's file search. Without it, large folders that git ignores would exhaust the
 * result limit. Pure.
 */
import type { IgnoreFile } from "./ignore-rules";

const MAX_FORMS = 64;

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
 * Converts plain names and paths only. All matches are certainly ignored; `IgnoreRules` filters the rest. Returns
 * nothing if a rule is negated.
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
    const from = folder === "" ? "" : `${folder}/`;
    const place = anchor === "/" || path.includes("/") ? `${from}${path}` : `${from}**/${path}`;
    return isFolder === "/" ? [`${place}/**`] : [place, `${place}/**`];
  });
}

/** Combines all globs; `undefined` if there are none. Nested braces are not supported and are expanded. */
export function anyOf(globs: readonly string[]): string | undefined {
  const plain = [...new Set(globs.flatMap(forms))].filter(glob => !/[{},]/.test(glob));
  return plain.length === 0 ? undefined : `{${plain.join(",")}}`;
}

/** `a.{b,c}` → `a.b`, `a.c`. */
function forms(glob: string): readonly string[] {
  let open = [glob];
  const done: string[] = [];
  for (let rounds = 0; open.length > 0 && rounds < MAX_FORMS; rounds++) {
    open = open
      .flatMap(item => {
        const [whole, inner] = /\{([^{}]*)\}/.exec(item) ?? [];
        if (whole !== undefined && inner !== undefined)
          return inner.split(",").map(part => item.replace(whole, () => part));
        done.push(item);
        return [];
      })
      .slice(0, MAX_FORMS);
  }
  return done;
}

/**
 * Matches files whose path contains these characters in this order, with `/` between folders. Used if the list is
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
