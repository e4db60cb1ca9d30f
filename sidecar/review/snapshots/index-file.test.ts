import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import {
  HASH_BYTES,
  oidOf,
  parseIndex,
  serializeIndex,
  treeOids,
  type HashAlgorithm,
  type IndexEntry,
  type IndexFile,
} from "./index-file";

interface TestEntry {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly oid: Buffer;
  /** Flags without the length of the name, and extended flags of version 3. */
  readonly flags: number;
  readonly extended: number;
}

const FILE = 0o100644;

/** Written by the description of the format, independent of the module. */
function indexOf(
  version: 2 | 3 | 4,
  entries: readonly TestEntry[],
  algorithm: HashAlgorithm,
  extensions: readonly (readonly [name: string, content: Buffer])[] = [],
): Buffer {
  const header = Buffer.alloc(12);
  header.write("DIRC");
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(entries.length, 8);
  let previous = "";
  const parts = entries.map(({ path, size, mode, oid, flags, extended }) => {
    const stat = Buffer.alloc(40, 7);
    stat.writeUInt32BE(mode, 24);
    stat.writeUInt32BE(size, 36);
    const isExtended = version >= 3 && extended !== 0,
      own = Buffer.alloc(isExtended ? 4 : 2);
    own.writeUInt16BE(flags | (isExtended ? 0x4000 : 0) | Math.min(path.length, 0xfff));
    if (isExtended) own.writeUInt16BE(extended, 2);
    const fixed = Buffer.concat([stat, oid, own]);
    if (version < 4) {
      const padding = 8 - ((fixed.length + path.length) % 8);
      return Buffer.concat([fixed, Buffer.from(path, "latin1"), Buffer.alloc(padding)]);
    }
    let common = 0;
    while (common < path.length && path[common] === previous[common]) common++;
    const removed = previous.length - common;
    previous = path;
    return Buffer.concat([fixed, varint(removed), Buffer.from(path.slice(common), "latin1"), Buffer.alloc(1)]);
  });
  const extra = extensions.flatMap(([name, content]) => {
    const head = Buffer.alloc(8);
    head.write(name);
    head.writeUInt32BE(content.length, 4);
    return [head, content];
  });
  const body = Buffer.concat([header, ...parts, ...extra]);
  return Buffer.concat([body, createHash(algorithm).update(body).digest()]);
}

function varint(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (--rest & 0x7f));
  return Buffer.from(bytes);
}

const names = fc.uniqueArray(
  fc.stringMatching(/^[\x01-\xff]{1,300}$/).map(text => text.replaceAll(/[^\x01-\xff]/g, "x")),
  { maxLength: 12 },
);
function entriesOf(algorithm: HashAlgorithm, regularOnly: boolean): fc.Arbitrary<readonly TestEntry[]> {
  return names.chain(paths =>
    fc.tuple(
      ...[...paths].sort().map(path =>
        fc.record({
          path: fc.constant(path),
          size: fc.nat(2 ** 32 - 1),
          mode: fc.constantFrom(FILE, 0o100755, 0o120000, ...(regularOnly ? [] : [0o160000, 0o040000])),
          oid: fc
            .uint8Array({ minLength: HASH_BYTES[algorithm], maxLength: HASH_BYTES[algorithm] })
            .map(bytes => Buffer.from(bytes)),
          flags: fc.constantFrom(0, ...(regularOnly ? [] : [0x1000, 0x2000, 0x8000])),
          extended: fc.constantFrom(0, ...(regularOnly ? [] : [0x4000, 0x2000])),
        }),
      ),
    ),
  );
}
const algorithms = fc.constantFrom<HashAlgorithm>("sha1", "sha256");
const versions = fc.constantFrom<2 | 3 | 4>(2, 3, 4);

suite("index file", () => {
  test("contains the regular entries of each version", () => {
    fc.assert(
      fc.property(
        algorithms.chain(algorithm => fc.tuple(fc.constant(algorithm), entriesOf(algorithm, false))),
        versions,
        ([algorithm, entries], version) => {
          const index = parseIndex(indexOf(version, entries, algorithm), algorithm),
            isRegular = ({ mode, flags, extended }: TestEntry): boolean =>
              mode !== 0o160000 && mode !== 0o040000 && (flags & 0x3000) === 0 && (version === 2 || extended === 0);
          deepEqual(
            index?.entries.map(entry => [entry.path, entry.size, entry.isLink, oidOf(index, entry, algorithm)]),
            entries
              .filter(isRegular)
              .map(({ path, size, mode, oid }) => [path, size, mode === 0o120000, oid.toString("hex")]),
          );
        },
      ),
    );
  });

  test("is written in version 2, with the selected entries and without flags", () => {
    fc.assert(
      fc.property(entriesOf("sha1", true), versions, fc.nat(), (entries, version, mask) => {
        const index = parseIndex(indexOf(version, entries, "sha1"), "sha1"),
          isIncluded = (i: number): boolean => ((mask >> (i % 31)) & 1) === 1;
        ok(index);
        deepEqual(
          serializeIndex(index, "sha1", entry => isIncluded(index.entries.indexOf(entry))),
          indexOf(
            2,
            entries.filter((_, i) => isIncluded(i)),
            "sha1",
          ),
        );
      }),
    );
  });

  test("is searched for paths, and compared with another index", () => {
    const pairs = algorithms.chain(algorithm =>
      fc.tuple(fc.constant(algorithm), entriesOf(algorithm, false), entriesOf(algorithm, false), fc.nat()),
    );
    fc.assert(
      fc.property(pairs, versions, versions, ([algorithm, some, others, mask], version, otherVersion) => {
        const isChosen = (_: unknown, i: number): boolean => ((mask >> (i % 31)) & 1) === 1,
          common = some.filter(isChosen),
          paths = new Set(common.map(({ path }) => path)),
          all = [...common, ...others.filter(({ path }) => !paths.has(path))].sort((a, b) =>
            a.path < b.path ? -1 : 1,
          );
        const index = parseIndex(indexOf(version, some, algorithm), algorithm),
          other = parseIndex(indexOf(otherVersion, all, algorithm), algorithm);
        ok(index && other);
        deepEqual(
          index.find(paths),
          index.entries.filter(({ path }) => paths.has(path)),
        );
        const key = (file: IndexFile, each: IndexEntry): string => `${each.path} ${oidOf(file, each, algorithm)}`,
          known = new Set(other.entries.map(each => key(other, each)));
        deepEqual(
          index.notIn(other),
          index.entries.filter(each => !known.has(key(index, each))),
        );
      }),
    );
  });

  const entry = (path: string, flags = 0): TestEntry => ({
    path,
    size: 1,
    mode: FILE,
    oid: Buffer.alloc(20, 1),
    flags,
    extended: 0,
  });
  const TREES = Buffer.concat([Buffer.from("\x002 1\n"), Buffer.alloc(20, 0xab), Buffer.from("d\0-1 0\n")]);

  test("keeps the trees of an unchanged index only", () => {
    const whole = parseIndex(indexOf(2, [entry("a"), entry("d/b")], "sha1", [["TREE", TREES]]), "sha1");
    ok(whole);
    deepEqual(parseIndex(serializeIndex(whole, "sha1"), "sha1")?.trees, TREES);
    equal(
      parseIndex(
        serializeIndex(whole, "sha1", ({ path }) => path === "a"),
        "sha1",
      )?.trees,
      undefined,
    );
    const unmerged = indexOf(2, [entry("a", 0x1000), entry("d/b")], "sha1", [["TREE", TREES]]);
    equal(parseIndex(unmerged, "sha1")?.trees, undefined);
    deepEqual(treeOids(TREES, "sha1"), ["ab".repeat(20)]);
  });

  test("is refused if it is split, damaged, short or of another version", () => {
    const entries = [entry("a"), entry("b")],
      bytes = indexOf(2, entries, "sha1");
    equal(parseIndex(indexOf(2, entries, "sha1", [["link", Buffer.alloc(20)]]), "sha1"), undefined);
    for (let length = 0; length < bytes.length - 20; length += 7)
      equal(parseIndex(bytes.subarray(0, length), "sha1"), undefined);
    const other = Buffer.from(bytes);
    other.writeUInt32BE(5, 4);
    equal(parseIndex(other, "sha1"), undefined);
  });
});
