// The wording that this project avoids (issue 15 item 1), and two ESLint rules: `wording` for comments, test titles and
// messages, `names` for declared names. `scripts/plain-english.test.ts` applies the list of `wording` to the documents.

const PROGRAMS =
  "agents?|clients?|components?|conductors?|hosts?|models?|pages?|programs?|prox(?:y|ies)|servers?|sessions?|sidecars?";
const OPENING = "opens with a relative clause in place of a noun";

/** Each pattern is applied to one sentence. Case matters in openings: a code name such as `of` is quoted. */
const AVOIDED = [
  { pattern: /^(?:what|who|whoever)\b(?!.*\?$)/i, why: OPENING },
  { pattern: /^of\b/i, why: OPENING },
  { pattern: /^where\b(?!.*(?:,|\?$))/i, why: OPENING },
  { pattern: /\bstands\b/i, why: "“stands”: write “is”, or the verb of the field" },
  { pattern: /\bgoes on\b/i, why: "“goes on”: write “continues”" },
  { pattern: /\b(?:is|are|was|were) there\b(?!.*\?$)/i, why: "“is there”: write “exists” or “is available”" },
  { pattern: /\bcomes to\b/i, why: "“comes to”: name the result" },
  { pattern: /\bha(?:s|ve) it\b(?=\s*(?:[.,;:)]|$))/i, why: "“has it”: name the object" },
  { pattern: /\b(?:some|no)body\b/i, why: "“somebody”, “nobody”: name the user or the program" },
  {
    pattern: /\bof (?:its|his|her|their|our|my|your) own\b(?=\s*(?:[.,;:)]|$|for\b|in\b|with\b))/i,
    why: "“of its own”: write “separate” or “own …”",
  },
  { pattern: /\bis another now\b/i, why: "“is another now”: write “has changed”" },
  {
    pattern: new RegExp(
      `\\b(?:${PROGRAMS}) (?:(?:is|are|was|were) told|hears?|heard|says?|tells?(?! \\w+ apart)|wish(?:es)?)\\b`,
      "i",
    ),
    why: "a program is not a person: write “receives”, “reports”, “sends”",
  },
];

/** The sentences of a text, without quotations and code. A list item is a sentence. */
export function sentencesOf(text) {
  return text
    .replace(/`[^`]*`|"[^"\n]*"|“[^”]*”|\*[^*\s][^*]*\*/g, "x")
    .split(/(?<=[.!?])\s+(?=[\p{Lu}x*[(])|\n\s*(?:[-*]|\d+\.)\s|\n\s*\n/u)
    .map(sentence => sentence.replaceAll(/\s+/g, " ").trim())
    .filter(sentence => sentence !== "");
}

/** The faults of a text, each with the sentence. */
export function faultsIn(text) {
  return sentencesOf(text).flatMap(sentence =>
    AVOIDED.filter(({ pattern }) => pattern.test(sentence)).map(({ why }) => ({ why, sentence })),
  );
}

/** Paragraphs, list items, headings and table cells of a Markdown document, without code blocks. */
export function passagesOf(markdown) {
  return markdown
    .replace(/^ *(```|~~~)[^]*?^ *\1.*$/gm, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<[^>]*>/g, "")
    .replace(/\*\*/g, "")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n(?=[|#])/)
    .flatMap(block => (block.startsWith("|") ? block.split("|") : [block]))
    .map(block => block.replace(/^\s*(?:[-*#>]+|\d+\.)\s+/, "").trim())
    .filter(block => /\p{L}/u.test(block));
}

/** Sentences of a passage with more than `maxWords` words. */
export function longSentences(passage, maxWords) {
  return sentencesOf(passage).filter(
    sentence => sentence.split(" ").filter(word => /[\p{L}\d]/u.test(word)).length > maxWords,
  );
}

/** Comments as texts, without directives. Consecutive `//` lines are one comment. */
function commentsOf(source) {
  const merged = [];
  for (const comment of source.getAllComments()) {
    if (/^\s*(?:eslint|@ts-|biome-|webpack|global\b)/.test(comment.value) || comment.type === "Shebang") continue;
    const last = merged.at(-1),
      isAlone = source.lines[comment.loc.start.line - 1].trimStart().startsWith("//");
    if (last?.isLine && isAlone && comment.type === "Line" && last.end === comment.loc.start.line - 1) {
      last.text += `\n${comment.value}`;
      last.end = comment.loc.end.line;
    } else
      merged.push({
        loc: comment.loc,
        end: comment.loc.end.line,
        isLine: comment.type === "Line" && isAlone,
        text: comment.type === "Line" ? comment.value : comment.value.replaceAll(/^\s*\* ?/gm, ""),
      });
  }
  return merged.map(({ loc, text }) => ({ loc, text: text.replace(/^[\s*]+/, "") }));
}

const TITLED = new Set(["suite", "test", "it", "describe"]);
/** Shorter literals are ids, labels and parts of sentences. */
const MIN_MESSAGE_WORDS = 4;

/** The text of a string or template, each placeholder as “x”. Undefined for a literal that is too short. */
function messageOf(text) {
  if ((text.match(/\p{L}{2,}/gu) ?? []).length < MIN_MESSAGE_WORDS) return undefined;
  // A literal that starts with a space or in lower case continues a sentence.
  return /^[\s\p{Ll}]/u.test(text) ? `x ${text}` : text;
}

const wording = {
  meta: {
    type: "suggestion",
    messages: { avoid: "{{why}}: {{sentence}}" },
    schema: [
      {
        type: "object",
        properties: { titles: { type: "boolean" }, messages: { type: "boolean" } },
        required: ["titles", "messages"],
        additionalProperties: false,
      },
    ],
  },
  create(context) {
    const report = (loc, text) => {
      for (const { why, sentence } of faultsIn(text))
        context.report({ loc, messageId: "avoid", data: { why, sentence } });
    };
    const message = (loc, text) => {
      const checked = context.options[0]?.messages === true ? messageOf(text) : undefined;
      if (checked !== undefined) report(loc, checked);
    };
    return {
      Literal({ loc, value, parent }) {
        if (typeof value === "string" && !("source" in parent)) message(loc, value);
      },
      TemplateLiteral({ loc, quasis }) {
        message(loc, quasis.map(({ value }) => value.cooked ?? "").join("x"));
      },
      Program() {
        for (const { loc, text } of commentsOf(context.sourceCode)) report(loc, text);
      },
      CallExpression({ callee, arguments: [title] }) {
        if (context.options[0]?.titles !== true || callee.type !== "Identifier" || !TITLED.has(callee.name)) return;
        if (title?.type === "Literal" && typeof title.value === "string") report(title.loc, title.value);
        if (title?.type === "TemplateLiteral")
          report(title.loc, title.quasis.map(({ value }) => value.cooked ?? "").join("x"));
      },
    };
  },
};

/** Words that no declared name contains, each with its replacement. */
const REPLACED_WORDS = new Map(
  Object.entries({
    aside: "one-shot, side",
    beginnings: "session start",
    carrier: "link, transport",
    deepest: "MAX_…",
    door: "server host, guard",
    flights: "in-flight requests",
    gate: "entry, guard",
    hands: "the noun of the access or the input",
    happening: "event",
    hear: "receive",
    heard: "received",
    hears: "receives",
    kept: "persisted, retained, MAX_…",
    lane: "queue",
    largest: "MAX_…",
    learned: "cached capabilities",
    leases: "usage locks",
    least: "MIN_…",
    longest: "MAX_…",
    most: "MAX_…",
    odd: "unexpected, onWarning",
    outlet: "sink, flow control, writer",
    patience: "timeout",
    quirks: "workarounds",
    said: "text, message, sent",
    saw: "onStatus, observed",
    say: "add, send, announce",
    says: "adds, sends, announces",
    sight: "status",
    sweep: "cleanup",
    tell: "notify, report",
    tells: "notifies, reports",
    told: "notified, reported",
    witness: "observer",
    witnessed: "observed",
    world: "Deps, Host",
  }),
);
/** Names without a meaning alone. A longer name may contain them. */
const REPLACED_NAMES = new Map(
  Object.entries({
    act: "action, perform…",
    left: "remaining",
    make: "create",
    more: "hasMore, or the noun",
    much: "LOW_WATER_MARK, or the noun",
    one: "the noun",
    other: "the noun",
    passing: "the noun",
    quiet: "debounce, idle",
    room: "HIGH_WATER_MARK, remaining",
    shape: "schema",
  }),
);
/** Members of foreign protocols. */
const FOREIGN_NAMES = new Set(["openWorldHint"]);

/** The replacement of an avoided word in a name, or undefined. */
export function avoidedIn(name) {
  if (FOREIGN_NAMES.has(name)) return undefined;
  const words = name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[\s_]+/)
    .map(word => word.replace("#", ""))
    .filter(word => word !== "");
  const word =
    words.length === 1 && REPLACED_NAMES.has(words[0]) ? words[0] : words.find(each => REPLACED_WORDS.has(each));
  return word === undefined ? undefined : { word, instead: REPLACED_WORDS.get(word) ?? REPLACED_NAMES.get(word) };
}

/**
 * Types, classes, their members, and functions and variables of a module. Local variables are excluded, and so are keys
 * of object literals: the type declares the key, and a quoted key belongs to a protocol.
 */
const names = {
  meta: {
    type: "suggestion",
    messages: { avoid: "“{{word}}” in “{{name}}” is no term of the field; instead: {{instead}}" },
    schema: [],
  },
  create(context) {
    const check = node => {
      if (node?.type !== "Identifier" && node?.type !== "PrivateIdentifier") return;
      const avoided = avoidedIn(node.name);
      if (avoided !== undefined)
        context.report({ loc: node.loc, messageId: "avoid", data: { name: node.name, ...avoided } });
    };
    const member = ({ computed, key }) => {
      if (computed !== true) check(key);
    };
    const isOfModule = ({ parent }) => parent.type === "Program" || parent.type.startsWith("Export");
    return {
      ClassDeclaration: ({ id }) => check(id),
      TSInterfaceDeclaration: ({ id }) => check(id),
      TSTypeAliasDeclaration: ({ id }) => check(id),
      FunctionDeclaration(node) {
        if (isOfModule(node)) check(node.id);
      },
      VariableDeclaration(node) {
        if (isOfModule(node)) for (const { id } of node.declarations) check(id);
      },
      PropertyDefinition: member,
      MethodDefinition: member,
      TSPropertySignature: member,
      TSMethodSignature: member,
      TSAbstractMethodDefinition: member,
      TSAbstractPropertyDefinition: member,
      TSParameterProperty: ({ parameter }) =>
        check(parameter.type === "AssignmentPattern" ? parameter.left : parameter),
    };
  },
};

export default { meta: { name: "plain-english" }, rules: { wording, names } };
