/**
 * A short hash for names of files and ids of runs, without a security purpose. `node:crypto` takes 3 ms to load, which
 * every start of an agent would wait for (issue 18 point 8). Pure.
 */

const OFFSET = 0xcbf29ce484222325n,
  PRIME = 0x100000001b3n;

/** FNV-1a with 64 bits, http://www.isthe.com/chongo/tech/comp/fnv. 16 hexadecimal digits. */
export function shortHash(text: string): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, "0");
}
