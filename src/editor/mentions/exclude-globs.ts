/**
 * What a search for files need not look into, as one glob for VS Code: large folders that git does not track would
 * otherwise fill the list before the first file that anybody wants. Pure.
 */
import type { IgnoreFile } from "./ignore-rules";

const MOST_FORMS = 64;

/** Of settings like `search.exclude`; conditions (`{"when": …}`) are not known to a glob. */
export function globsOfSetting(setting: unknown): readonly string[] {
  return typeof setting === "object" && setting !== null
    ? Object.entries(setting)
        .filter(([, value]) => value === true)
        .map(([glob]) => glob)
    : [];
}

/**
 * Plain names and paths only: what these globs match is surely ignored, and the rest is sorted out by `IgnoreRules`.
 * Nothing when something is taken back.
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

/** One glob for all of them; `undefined`: none. Braces do not stand within braces. */
export function anyOf(globs: readonly string[]): string | undefined {
  const plain = [...new Set(globs.flatMap(forms))].filter(glob => !/[{},]/.test(glob));
  return plain.length === 0 ? undefined : `{${plain.join(",")}}`;
}

/** `a.{b,c}` → `a.b`, `a.c`. */
function forms(glob: string): readonly string[] {
  let open = [glob];
  const done: string[] = [];
  for (let rounds = 0; open.length > 0 && rounds < MOST_FORMS; rounds++) {
    open = open
      .flatMap(one => {
        const [whole, inner] = /\{([^{}]*)\}/.exec(one) ?? [];
        if (whole !== undefined && inner !== undefined)
          return inner.split(",").map(part => one.replace(whole, () => part));
        done.push(one);
        return [];
      })
      .slice(0, MOST_FORMS);
  }
  return done;
}

/** Files whose path has these characters in this order, `/` between folders: for a list that is not complete. */
export function globOfQuery(query: string): string {
  return `**/*${[...query].map(character => (character === "/" || character === "\\" ? "/**/*" : `${eitherCase(character)}*`)).join("")}`;
}

function eitherCase(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  if (/^[a-z]$/i.test(character)) return `[${lower}${upper}]`;
  return /^[\p{N}_.-]$/u.test(character) ? character : "?";
}
