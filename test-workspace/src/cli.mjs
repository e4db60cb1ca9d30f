import { readFileSync } from "node:fs";
import { commonest, count } from "./count.mjs";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node src/cli.mjs FILE…");
  process.exit(2);
}
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const { lines, words, characters } = count(text);
  console.log(`${file}: ${lines} lines, ${words} words, ${characters} characters`);
  console.log(commonest(text).map(([word, times]) => `  ${times} × ${word}`).join("\n"));
}
