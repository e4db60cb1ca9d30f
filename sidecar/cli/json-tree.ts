/** JSON text as a tree with positions, and its mistakes as sentences. Pure. */
import {
  createScanner,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
  type ParseOptions,
} from "jsonc-parser";

/** `message`: a sentence. */
export interface JsonMistake {
  readonly offset: number;
  readonly message: string;
}

/** The parser is recursive. */
const MAX_DEPTH = 100;

/** `body`: without a byte order mark. */
export function readTree(body: string, options: ParseOptions): Node | JsonMistake {
  const deep = offsetOfDepth(body, MAX_DEPTH);
  if (deep !== undefined) return { offset: deep, message: "The JSON is nested too deep." };
  const errors: ParseError[] = [],
    root = parseTree(body, errors, options),
    [error] = errors;
  if (error)
    return { offset: error.offset, message: SYNTAX[printParseErrorCode(error.error)] ?? "This is not valid JSON." };
  return root ?? { offset: body.length, message: "A value is missing." };
}

export function propertiesOf(object: Node): readonly { readonly key: Node; readonly value: Node }[] {
  return (object.children ?? []).flatMap(({ children: [key, value] = [] }) => (key && value ? [{ key, value }] : []));
}

const BOM = "\uFEFF";

/** The byte order mark is not part of the first line. */
export function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

/** By the names of the parser. */
const SYNTAX: Readonly<Record<string, string>> = {
  PropertyNameExpected: "A name in double quotes is missing.",
  ValueExpected: "A value is missing.",
  ColonExpected: "A colon is missing.",
  CommaExpected: "A comma is missing.",
  CloseBraceExpected: "A closing brace “}” is missing.",
  CloseBracketExpected: "A closing bracket “]” is missing.",
  EndOfFileExpected: "The file must end after the closing brace.",
  InvalidCommentToken: "A comment is not valid here, or starts with neither // nor /*.",
  UnexpectedEndOfComment: "This comment is not closed: it ends with */.",
  UnexpectedEndOfString: "This text is not closed: it ends with a double quote on the same line.",
  UnexpectedEndOfNumber: "This number is incomplete.",
  InvalidNumberFormat: "This number is not valid.",
  InvalidUnicode: "This \\u escape is not valid.",
  InvalidEscapeCharacter: "This escape is not valid: write a backslash as two backslashes.",
  InvalidCharacter: "This character is not valid in text: write it as an escape.",
  InvalidSymbol: "This word is not valid: write text in double quotes.",
};

/** The offset of the first bracket below `limit` open ones. */
function offsetOfDepth(body: string, limit: number): number | undefined {
  const scanner = createScanner(body, true);
  let depth = 0;
  for (let token = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) depth++;
    else if (token === CLOSE_BRACE || token === CLOSE_BRACKET) depth--;
    if (depth > limit) return scanner.getTokenOffset();
  }
  return undefined;
}

/** `SyntaxKind` of the parser, whose constants exist only in its declarations. */
const OPEN_BRACE = 1,
  CLOSE_BRACE = 2,
  OPEN_BRACKET = 3,
  CLOSE_BRACKET = 4,
  END_OF_FILE = 17;

/** `line` and `column` start at 1. A column is one UTF-16 code unit, as in VS Code. */
export function positionIn(body: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = body.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
