import type { TextStorage } from "../runtime/page-storage";

/** Browser storage with a quota in characters. */
export function memoryStorage(quota = Infinity): TextStorage {
  const items = new Map<string, string>();
  const used = (without: string): number =>
    [...items].reduce((sum, [key, text]) => sum + (key === without ? 0 : key.length + text.length), 0);
  return {
    get length() {
      return items.size;
    },
    key: i => [...items.keys()][i] ?? null,
    getItem: key => items.get(key) ?? null,
    removeItem: key => {
      items.delete(key);
    },
    setItem: (key, text) => {
      if (used(key) + key.length + text.length > quota) throw new Error("QuotaExceededError");
      items.set(key, text);
    },
  };
}
