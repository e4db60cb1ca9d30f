/** Answers to stream, equal in every run. */

export const CORPORA = ["prose", "inline code", "one code block"] as const;
export type Corpus = (typeof CORPORA)[number];

const WORDS =
  "the agent reads each file and says what it found there before anything is changed so that a person can follow along and stop it when that is not what was meant".split(
    " ",
  );

/** Returns `characters` characters of the corpus. A code block has at most 50,000 characters. */
export function corpus(name: Corpus, characters: number): string {
  const random = numbers();
  let text = "";
  while (text.length < characters)
    text += name === "one code block" ? codeBlock(random) : paragraph(random, name === "inline code");
  return text.slice(0, characters);
}

function paragraph(random: () => number, withCode: boolean): string {
  const words = Array.from({ length: 40 + Math.floor(random() * 60) }, (_, i) => {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? "";
    return withCode && i % 10 === 9 ? `\`${word}(${word.length})\`` : random() < 0.03 ? `**${word}**` : word;
  });
  const list = random() < 0.25;
  return `${list ? words.join(" ").replace(/(?:\S+ ){12}/g, "- $&\n") : words.join(" ")}.\n\n`;
}

const BLOCK = 50_000;

function codeBlock(random: () => number): string {
  let code = "";
  for (let i = 0; code.length < BLOCK; i++) {
    const name = WORDS[Math.floor(random() * WORDS.length)] ?? "";
    code +=
      i % 12 === 0
        ? `\n/** Says ${name}. */\nexport function ${name}${i}(value: string): number {\n`
        : i % 12 === 11
          ? "  return count;\n}\n"
          : `  if (value.includes("${name}")) count += ${i} * Math.floor(value.length / 3); // ${name}\n`;
  }
  return `Here it is:\n\n\`\`\`ts\n${code}\`\`\`\n\n`;
}

/** A pseudo-random number generator (mulberry32), from 0 to 1. */
function numbers(): () => number {
  let state = 7;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
