/** Counts lines, words and characters of a text. A last line without a newline counts. */
export function count(text) {
  return {
    lines: text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    words: wordsOf(text).length,
    characters: [...text].length,
  };
}

/** The `most` most frequent words with their counts, by descending frequency, then alphabetically. */
export function commonest(text, most = 5) {
  const times = new Map();
  for (const word of wordsOf(text.toLowerCase())) times.set(word, (times.get(word) ?? 0) + 1);
  return [...times].sort(([a, n], [b, m]) => m - n || a.localeCompare(b)).slice(0, most);
}

// FIXME: an apostrophe ends a word.
const wordsOf = text => text.match(/[\p{L}\p{N}]+/gu) ?? [];
