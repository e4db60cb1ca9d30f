// The wording that this project avoids (issue 15 item 1), and an ESLint rule for comments, test titles and messages.
// `scripts/plain-english.test.ts` applies the same list to the documents.

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

/** Sentences of a passage with more than `most` words. */
export function longSentences(passage, most) {
  return sentencesOf(passage).filter(
    sentence => sentence.split(" ").filter(word => /[\p{L}\d]/u.test(word)).length > most,
  );
}

/** Comments as texts: consecutive `//` lines are one. Directives are left out. */
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

const rule = {
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

export default { meta: { name: "plain-english" }, rules: { wording: rule } };
