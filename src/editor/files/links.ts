/** Classifies links in a chat: a web or mail address, or a file of the workspace. Pure. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** `path` is absolute. `line`, `column` and `endLine` count from 1. */
export interface FilePlace {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  /** The last line of a range. */
  readonly endLine?: number;
}

export type LinkTarget =
  | { readonly kind: "external"; readonly url: string }
  | ({ readonly kind: "file" } & FilePlace)
  | { readonly kind: "refused"; readonly why: string };

const EXTERNAL = new Set(["http:", "https:", "mailto:"]);

/** `folders`: absolute paths of the workspace folders. A relative link is resolved against the first one. */
export function linkTarget(href: string, folders: readonly string[]): LinkTarget {
  // The number of a line is no address.
  const scheme = /^([a-z][a-z0-9+.-]+):(?!\d+(?:[:-]\d+)?$)/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === undefined || scheme === "file") return fileTarget(href, folders);
  if (!EXTERNAL.has(`${scheme}:`)) return refused(l10n.t`links with the scheme ${scheme} are not opened`);
  return URL.canParse(href) ? { kind: "external", url: new URL(href).href } : refused(l10n.t("it is not a URL"));
}

/** The normalized address of the web page that an agent asks the user to open; `undefined` if it is not HTTP(S). */
export function pageAddress(url: string): string | undefined {
  const page = URL.canParse(url) ? new URL(url) : undefined;
  return page?.protocol === "http:" || page?.protocol === "https:" ? page.href : undefined;
}

function fileTarget(href: string, folders: readonly string[]): LinkTarget {
  const [, withoutFragment = "", fragment] = /^([^#]*)(?:#(.*))?$/s.exec(href) ?? [];
  const [, location = "", ...numbers] = /^(.*?)(?::(\d+)(?::(\d+)|-(\d+))?)?$/s.exec(withoutFragment) ?? [];
  const plain = plainPath(location);
  const first = folders[0];
  if (plain === undefined || plain === "" || first === undefined)
    return refused(l10n.t("it is not a file of this workspace"));
  const file = path.resolve(first, plain);
  if (!folders.some(folder => isWithin(file, folder))) return refused(l10n.t("the file is outside the workspace"));
  const [line, column, endLine] = numbers[0] === undefined ? (FRAGMENT.exec(fragment ?? "")?.slice(1) ?? []) : numbers;
  return {
    kind: "file",
    path: file,
    ...(line === undefined ? {} : { line: Math.max(1, Number(line)) }),
    ...(column === undefined ? {} : { column: Math.max(1, Number(column)) }),
    ...(endLine === undefined || Number(endLine) < Number(line) ? {} : { endLine: Math.max(1, Number(endLine)) }),
  };
}
/** Examples: `L3`, `L3C7`, `L3-L9`, `L3-9`. */
const FRAGMENT = /^L(\d+)(?:C(\d+))?(?:-L?(\d+))?/;

/** The address that `linkTarget` reads as this place. */
export function addressOf({ path: file, line, column, endLine }: FilePlace): string {
  const fragment = [
    line === undefined ? "" : `#L${line}`,
    line === undefined || column === undefined ? "" : `C${column}`,
    line === undefined || endLine === undefined ? "" : `-L${endLine}`,
  ].join("");
  return pathToFileURL(file).href.replaceAll(":", encodeColon) + fragment;
}
/** The colon of the scheme and of a drive is followed by a slash. Others could be read as the number of a line. */
const encodeColon = (colon: string, at: number, href: string): string => (href[at + 1] === "/" ? colon : "%3A");

function plainPath(location: string): string | undefined {
  try {
    const decoded = decodeURIComponent(location.replace(/^file:/i, ""));
    if (decoded.includes("\0") || /^\/\/[^/]/.test(decoded)) return undefined; // a file on another machine
    const local = decoded.replace(/^\/\/(?=\/)/, "");
    return /^\/[a-z]:/i.test(local) ? local.slice(1) : local;
  } catch {
    return undefined;
  }
}

function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== "" && relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** `message` is for the user. */
export class LinkNotOpened extends Error {
  override readonly name = "LinkNotOpened";
  static refused(why: string): LinkNotOpened {
    return new LinkNotOpened(l10n.t`This link was not opened: ${why}.`);
  }
  static missing(file: string, cause: unknown): LinkNotOpened {
    return new LinkNotOpened(l10n.t`“${file}” could not be opened. Check that it exists and is a text file.`, {
      cause,
    });
  }
}

function refused(why: string): LinkTarget {
  return { kind: "refused", why };
}
