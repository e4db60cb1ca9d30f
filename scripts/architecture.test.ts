/**
 * Checks that every file, folder, symbol, method and package named as code in ARCHITECTURE.md exists (issue 15 item 2).
 */
import { deepEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

const FOLDERS = ["src", "sidecar", "webview", "scripts", "test", "bench", "docs", "l10n"];
const SOURCE = /\.(ts|mts|mjs|cjs|js)$/;

/** Names of other programs, and of rejected alternatives. */
const FOREIGN: ReadonlySet<string> = new Set([
  "@logtape/redaction",
  "@mermaid-js/tiny",
  "@npmcli/redact",
  "approveCombination",
  "beautiful-mermaid",
  "cross-spawn",
  "elkjs",
  "fs.globSync",
  "keepNames",
  "pino",
  "npx.cmd",
  "registerToolDefinition",
  "tinyglobby",
  "which",
]);
/** Files that exist at run time only, and placeholders. */
const NO_FILE: ReadonlySet<string> = new Set(["Cargo.lock", "installed.json"]);

interface Sources {
  /** Files and folders, from the repository's root. */
  readonly paths: readonly string[];
  /** The code of each file without its comments. */
  readonly code: readonly string[];
}

/** Names in `page` that do not occur in `sources`, in the page's order. */
function unknownNames(page: string, sources: Sources): readonly string[] {
  return [...new Set(codeSpans(page))].filter(span => !isForeign(span) && !exists(span, sources));
}

function isForeign(span: string): boolean {
  return FOREIGN.has(span) || NO_FILE.has(span) || span.startsWith("~");
}

function exists(span: string, { paths, code }: Sources): boolean {
  const isPath = /^[\w.*/-]+\.(ts|mjs|cjs|js|json|md)$/.test(span) || FOLDERS.some(each => span.startsWith(`${each}/`));
  if (isPath) {
    const pattern = span
      .replace(/\/$/, "")
      .split(/(\*|NAME)/)
      .map(part => (/^(\*|NAME)$/.test(part) ? "[^/]+" : escaped(part)));
    const path = new RegExp(`(^|/)${pattern.join("")}$`);
    return paths.some(each => path.test(each));
  }
  if (/^[A-Z]\w*\.#?\w+$/.test(span)) return hasMember(code, span);
  const contains = (word: string): boolean => code.some(each => hasWord(each, word));
  if (/^\w+(\.#?\w+)+$/.test(span)) return span.split(".").every(contains);
  return !/^[\w@$#./-]+(\(\))?$/.test(span) || span.endsWith("-") || contains(span.replace("()", ""));
}

/** `member`: `Type.member`, which a file that declares the type must contain. */
function hasMember(code: readonly string[], member: string): boolean {
  const [type = "", name = ""] = member.split("."),
    declaration = new RegExp(`(?<![\\w])(class|interface|type|enum|const) ${escaped(type)}(?![\\w])`);
  return code.some(each => declaration.test(each) && hasWord(each, name));
}

function hasWord(code: string, word: string): boolean {
  return new RegExp(`(?<![\\w])${escaped(word)}(?![\\w])`).test(code);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function codeSpans(page: string): readonly string[] {
  const text = page.replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
}

function readSources(): Sources {
  const files = FOLDERS.flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map(each => `${folder}/${each.replaceAll("\\", "/")}`),
  );
  const paths = [...FOLDERS, ...files, ...readdirSync(".")],
    sources = paths.filter(each => SOURCE.test(each) && !each.endsWith("architecture.test.ts"));
  const code = sources.map(each => withoutComments(readFileSync(each, "utf8")));
  return { paths, code: [...code, readFileSync("package.json", "utf8")] };
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*$)/gm, "").replaceAll(/\s\/\/ .*$/gm, "");
}

suite("ARCHITECTURE.md", () => {
  test("names only existing files, folders and symbols", () => {
    deepEqual(unknownNames(readFileSync("ARCHITECTURE.md", "utf8"), readSources()), []);
  });

  test("is checked for files, folders, symbols, members, methods and packages", () => {
    const page =
      "`chat.ts`, `src/gone/`, `src/chat`, `old.ts`, `pool/*.ts`, `*-old.ts`, `Pool.retire`, `Pool.gone`, `gone()`, `lm/gone`, `yauzl`, `NAME.ts`, `a → b`";
    const sources: Sources = {
      paths: ["src/chat", "src/chat/chat.ts", "src/pool/one.ts"],
      code: ['class Pool { retire() {} } import "yauzl";'],
    };
    deepEqual(unknownNames(page, sources), ["src/gone/", "old.ts", "*-old.ts", "Pool.gone", "gone()", "lm/gone"]);
  });

  test("is checked for members in the files that declare their type", () => {
    const code = ["interface Beginnings { readonly openings: string }", "class SessionStarts { bypassed() {} }"];
    deepEqual(unknownNames("`Beginnings.bypassed`, `SessionStarts.bypassed`", { paths: [], code }), [
      "Beginnings.bypassed",
    ]);
  });
});
