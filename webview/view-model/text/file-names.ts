/**
 * Names of files in an answer: the file of a code block, and inline code that may be the name of a file. Pure. Only the
 * host knows whether a file exists.
 */
import type { CodeFiles } from "../../../src/protocol/page/host-to-page";

export interface CodeContext {
  /** The info string of the fence. */
  readonly info: string;
  readonly code: string;
  /** The text before the block. */
  readonly before: string;
}

const MAX_NAME = 260;
const MAX_NAMES = 8;
/** Characters of the text before the block that are read. */
const MAX_BEFORE = 500;

/** The files that a block of code may belong to. */
export function filesOfCode({ info, code, before }: CodeContext): CodeFiles {
  const named = [...namesInInfo(info), ...nameInComment(firstLineOf(code))],
    mentioned = namesInSentence(before);
  return {
    named: [...new Set(named)].slice(0, MAX_NAMES),
    mentioned: [...new Set(mentioned)].filter(name => !named.includes(name)).slice(0, MAX_NAMES),
  };
}

/**
 * The name in inline code with an optional position (`a.ts:3`, `a.ts:3:7`, `a.ts#L3-L9`), if it has the form of a file
 * name: a separator, an ending or a leading dot.
 */
export function fileMention(text: string): string | undefined {
  const name = text.trim();
  return name.length <= MAX_NAME && FILE_WITH_POSITION.test(name) && !URL_OR_NUMBER.test(name) ? name : undefined;
}

const SEGMENT = "[\\p{L}\\p{N}_@.~+$()[\\]{},=&!%'-]+";
/** A path with separators, or a name with an ending. */
const FILE = `(?:[A-Za-z]:[\\\\/]|~?[\\\\/])?(?:${SEGMENT}[\\\\/])*${SEGMENT}`;
const POSITION = "(?::\\d+(?:[:-]\\d+)?|#L\\d+(?:C\\d+)?(?:-L?\\d+(?:C\\d+)?)?)?";
const FILE_WITH_POSITION = new RegExp(`^(?=(?:[A-Za-z]:)?[^:#]*(?:[\\\\/]|\\.[\\p{L}\\p{N}]))${FILE}${POSITION}$`, "u");
/** An address, a number or version, an option, a call, or a scoped package. */
const URL_OR_NUMBER = /^[a-z][a-z\d+.-]*:\/\/|^v?[\d.,]+$|^-|\(\)?$|^\.{1,2}$/i;
const WHOLE_FILE = new RegExp(`^(?=.*(?:[\\\\/]|\\.[\\p{L}\\p{N}]))${FILE}$`, "u");

const isFile = (name: string): boolean =>
  name.length <= MAX_NAME && WHOLE_FILE.test(name) && !URL_OR_NUMBER.test(name) && !/[\\/]$/.test(name);

/** Examples: `ts src/a.ts`, `ts title="src/a.ts"`, `ts:src/a.ts`, `12:15:src/a.ts`. */
function namesInInfo(info: string): readonly string[] {
  const parts = [...info.matchAll(/(?:[\w-]+=)?(?:"[^"]*"|'[^']*'|\S+)/g)].map(([part]) => part);
  return parts.flatMap((part, i) => {
    const option = /^[\w-]+=(?=["'\w./\\~])/.exec(part)?.[0];
    if (option !== undefined && !/^(?:title|file|filename|path|name)=$/i.test(option)) return [];
    const value = part.slice(option?.length ?? 0).replace(/^["'{(]|["'})]$/g, "");
    const name = value.replace(/^(?:\d+:\d+|[\w+#-]+):(?![\\/])/, "");
    return isFile(name) && (i > 0 || name !== value || /[\\/]/.test(name)) ? [name] : [];
  });
}

const firstLineOf = (code: string): string => /^\s*(?:#!.*\n\s*)?(.*)/.exec(code)?.[1]?.slice(0, 2 * MAX_NAME) ?? "";

/** A comment with nothing else, such as `// src/a.ts` or `# File: a.py`. */
function nameInComment(line: string): readonly string[] {
  const [, content] = /^(?:\/\/+!?|#+|--|;+|%+|\/\*+|<!--|\{\/\*)\s*(.*?)\s*(?:\*\/\}?|-->)?\s*$/.exec(line) ?? [];
  const name = content?.replace(/^(?:file(?:name)?|path)\s*:\s*/i, "").replace(/^`|`$/g, "");
  return name !== undefined && isFile(name) ? [name] : [];
}

/** Nearest to the block first. */
function namesInSentence(before: string): readonly string[] {
  const sentence =
    before
      .slice(-MAX_BEFORE)
      .trimEnd()
      .split(/\n\s*\n|(?<=[.!?])\s+(?=\p{Lu})/u)
      .at(-1) ?? "";
  return sentence
    .split(/[\s`"“”'‘’*<>]+/u)
    .map(word => word.replace(/^[([{]+|[)\]}:;,.!?]+$/g, "").replace(/(?::\d+)+$|#L\d.*$/, ""))
    .filter(isFile)
    .toReversed();
}
