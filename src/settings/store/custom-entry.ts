/**
 * Converts the user's input for a custom agent or extension into a settings entry. Pure. The sidecar checks
 * availability; this module rejects input that can never be valid (`test/custom-packages.test.ts` compares the two).
 */
import * as l10n from "@vscode/l10n";
import type { Installable } from "../../protocol/agents/agent-service";
import type { Distribution } from "../../protocol/agents/distribution";
import { npmSpec, pythonSpec } from "../../protocol/agents/package-spec";
import { isObject, type Fields } from "../../protocol/wire/json";

export type CustomKind = "executable" | "npx" | "python" | "cargo" | "server" | "url";

/** Texts of the input boxes for one kind of source. */
export interface CustomSource {
  readonly kind: CustomKind;
  readonly label: string;
  readonly prompt: string;
  readonly placeHolder: string;
}

export interface Custom {
  readonly kind: Exclude<CustomKind, "url">;
  /** A path or a program on the PATH, a package, a crate, or the URL of an MCP server. */
  readonly source: string;
  /** Arguments in one line; for a server, one header. */
  readonly args: string;
  /** Defaults to the name of the source. */
  readonly name?: string;
}

export function customSources(installable: Installable): readonly CustomSource[] {
  const file = installable === "agent" ? "agent.json" : "extension.json";
  return [
    {
      kind: "executable",
      label: l10n.t("From executable on your system"),
      prompt: l10n.t("Full path, or the name of a program on your PATH"),
      placeHolder: installable === "agent" ? "/usr/local/bin/my-agent" : "/usr/local/bin/my-extension",
    },
    {
      kind: "npx",
      label: l10n.t("From npx package"),
      prompt: l10n.t("Package on npm. Add a version to pin it"),
      placeHolder: "@scope/name@1.2.3",
    },
    {
      kind: "python",
      label: l10n.t("From uvx or pipx package"),
      prompt: l10n.t("Package on PyPI. Add a version to pin it"),
      placeHolder: "name==1.2.3",
    },
    {
      kind: "cargo",
      label: l10n.t("From cargo crate"),
      prompt: l10n.t("Crate on crates.io. Add a version to pin it"),
      placeHolder: "name@1.2.3",
    },
    ...(installable === "agent"
      ? []
      : [
          {
            kind: "server",
            label: l10n.t("From URL of an MCP server"),
            prompt: l10n.t("URL (https or http) of the server, from its documentation (streamable HTTP)"),
            placeHolder: "https://example.com/mcp",
          } as const,
        ]),
    {
      kind: "url",
      label: l10n.t`From URL to ${file}`,
      prompt: l10n.t`URL (https) of its ${file}, for example a GitHub page`,
      placeHolder: `https://github.com/owner/name/blob/main/${file}`,
    },
  ];
}

/** A crate with an optional version. */
const CARGO = /^([a-z][\w-]{0,63})(?:@(\d[\w.+~-]{0,98}[\w+~-]|\d))?$/i;

/** An error message for invalid input; `undefined` if it is valid. */
export function wrongSource(kind: CustomKind, text: string): string | undefined {
  const source = sourceOf(text);
  if (source === "") return l10n.t("Enter a value.");
  switch (kind) {
    case "executable":
      return wrongProgram(source);
    case "npx":
      return npmSpec(source) ? undefined : l10n.t("This is not an npm package. Enter name, @scope/name or name@1.2.3.");
    case "python":
      return pythonSpec(source)
        ? undefined
        : l10n.t("This is not a Python package. Enter name, name[extra] or name==1.2.3.");
    case "cargo":
      return CARGO.test(source) ? undefined : l10n.t("This is not a crate. Enter name or name@1.2.3.");
    case "server":
      return !/\s/.test(source) && isAddress(source, "http:", "https:")
        ? undefined
        : l10n.t("Enter a URL that starts with https:// or http:// and contains no user name or password.");
    case "url":
      return isAddress(source, "https:")
        ? undefined
        : l10n.t("Enter a URL that starts with https:// and contains no user name or password.");
  }
}

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*([\t\x20-\x7e]*?)\s*$/;

/** Validates the arguments: words in one line, quoted if they contain blanks; for a server, one HTTP header. */
export function wrongArguments(kind: CustomKind, line: string): string | undefined {
  if (kind === "server")
    return line.trim() === "" || HEADER.test(line)
      ? undefined
      : l10n.t("This is not a header. Enter its name, a colon and its value, such as Authorization: Bearer ….");
  return wordsOf(line) === undefined ? l10n.t("A quotation mark is not closed.") : undefined;
}

export function wrongName(text: string): string | undefined {
  return text.trim().length <= 100 ? undefined : l10n.t("This name is too long.");
}

/** Normalizes the input: removes white space and quotes that were copied with it. */
export function sourceOf(text: string): string {
  return text
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim();
}

/** Default name of the entry. */
export function nameOf({ kind, source }: Pick<Custom, "kind" | "source">): string {
  switch (kind) {
    case "executable":
      return /([^\\/]+?)(?:\.(?:exe|cmd|bat|[cm]?js|py|sh))?$/i.exec(source)?.[1] ?? source;
    case "npx":
      return npmSpec(source)?.name.replace(/^@.*\//, "") ?? source;
    case "python":
      return pythonSpec(source)?.name ?? source;
    case "cargo":
      return CARGO.exec(source)?.[1] ?? source;
    case "server":
      return URL.canParse(source) ? new URL(source).hostname : source;
  }
}

/** `custom` must be valid. `taken`: existing ids. */
export function customEntry(
  { kind, source, args, name = "" }: Custom,
  taken: readonly string[],
): Fields & { readonly id: string } {
  const defaultName = nameOf({ kind, source });
  return {
    id: freshId(defaultName, taken),
    name: name.trim() || defaultName,
    distribution: kind === "server" ? serverAt(source, args) : distributionOf(kind, source, wordsOf(args) ?? []),
    _source: "custom",
  };
}

/** Gives a downloaded entry a free id, so that it does not replace an existing entry. */
export function besideOthers(entry: Fields, taken: readonly string[]): Fields & { readonly id: string } {
  const { id } = entry;
  return { ...entry, id: freshId(typeof id === "string" ? id : "custom", taken), _source: "custom" };
}

/** The `id` values of a settings list, or the keys of the older form, including those of unreadable entries. */
export function takenIds(value: unknown): readonly string[] {
  if (isObject(value)) return Object.keys(value);
  return Array.isArray(value)
    ? value.flatMap((entry: unknown) => (isObject(entry) && typeof entry["id"] === "string" ? [entry["id"]] : []))
    : [];
}

/** An id of the form `^[a-z][a-z0-9-]*$`, valid as a folder name on all platforms. */
function freshId(name: string, taken: readonly string[]): string {
  const id =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replace(/^[^a-z]+/, "")
      .slice(0, 60)
      .replace(/-+$/, "") || "custom";
  const isFree = (item: string): boolean => !taken.includes(item) && !/^(con|prn|aux|nul|(com|lpt)\d)$/.test(item);
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? id : `${id}-${n}`;
    if (isFree(candidate)) return candidate;
  }
}

function serverAt(url: string, header: string): Distribution {
  const [, name, value] = HEADER.exec(header) ?? [];
  return { http: { url, ...(name === undefined || value === undefined ? {} : { headers: { [name]: value } }) } };
}

function distributionOf(
  kind: Exclude<Custom["kind"], "server">,
  source: string,
  words: readonly string[],
): Distribution {
  const args = words.length === 0 ? {} : { args: words };
  switch (kind) {
    case "executable":
      return { local: { command: source, ...args } };
    case "npx":
      return { npx: { package: source, ...args } };
    case "python":
      return { uvx: { package: source, ...args } };
    case "cargo": {
      const [, crate = source, version] = CARGO.exec(source) ?? [];
      return { cargo: { crate, ...(version === undefined ? {} : { version }), ...args } };
    }
  }
}

/** Requires an absolute path, because a relative one would depend on the session's folder. */
function wrongProgram(source: string): string | undefined {
  if (/^(\/|[a-z]:[\\/]|\\\\)/i.test(source)) return undefined;
  if (/[\\/]/.test(source)) return l10n.t("Enter its absolute path.");
  return /\s/.test(source)
    ? l10n.t("Enter only the name of the program. The next step asks for its arguments.")
    : undefined;
}

function isAddress(text: string, ...protocols: readonly string[]): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && protocols.includes(url.protocol) && url.username === "" && url.password === "";
}

/**
 * Splits the line into words; `undefined`: a quotation mark is unbalanced. `\"` is a literal quote inside double
 * quotes. Elsewhere a backslash is literal, as in Windows paths.
 */
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined, quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const c = line.charAt(at);
    if (quote === '"' && c === "\\" && line.charAt(at + 1) === '"') {
      word = `${word ?? ""}"`;
      at++;
    } else if (c === quote) quote = undefined;
    else if (quote === undefined && (c === '"' || c === "'")) {
      quote = c;
      word ??= "";
    } else if (quote === undefined && /\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + c;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
