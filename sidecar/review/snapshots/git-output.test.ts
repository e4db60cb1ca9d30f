import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  decodePath,
  encodePath,
  nulSeparated,
  parseAttributed,
  parseConfig,
  parseObjects,
  parseSizes,
  parseTreeDifference,
  parseVersion,
} from "./git-output";

const oid = (digit: string): string => digit.repeat(40);
const NONE = oid("0");
const raw = (...records: readonly string[]) => parseTreeDifference(Buffer.from(records.map(r => `${r}\0`).join("")));

suite("output of git", () => {
  test("has paths of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), bytes => {
        const path = Buffer.from(bytes).toString("latin1"),
          text = decodePath(path);
        const isText = Buffer.from(Buffer.from(bytes).toString()).equals(Buffer.from(bytes));
        equal(text !== undefined, isText);
        if (text !== undefined) equal(encodePath(text), path);
      }),
    );
  });

  test("is split at NUL, without an incomplete record", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }).filter(text => !text.includes("\0"))), records => {
        const output = Buffer.from([...records, "incomplete"].join("\0"));
        deepEqual(nulSeparated(output), records.map(encodePath));
      }),
    );
  });

  test("lists changed files and the objects of their folders", () => {
    deepEqual(
      raw(
        `:040000 040000 ${oid("1")} ${oid("2")} M`,
        "src",
        `:100644 100755 ${oid("3")} ${oid("3")} M`,
        "src/a b.sh",
        `:000000 120000 ${NONE} ${oid("4")} A`,
        "link",
        `:100644 000000 ${oid("5")} ${NONE} D`,
        "old",
        `:160000 160000 ${oid("6")} ${oid("7")} M`,
        "repository",
        `:100644 160000 ${oid("8")} ${oid("9")} T`,
        "replaced",
      ),
      {
        files: [
          {
            path: "src/a b.sh",
            before: { mode: "100644", oid: oid("3") },
            after: { mode: "100755", oid: oid("3") },
          },
          { path: "link", after: { mode: "120000", oid: oid("4") } },
          { path: "old", before: { mode: "100644", oid: oid("5") } },
          { path: "replaced", before: { mode: "100644", oid: oid("8") } },
        ],
        leftOut: [],
        oids: ["1", "2", "3", "4", "5", "8"].map(oid),
      },
    );
  });

  test("lists changed files with other names as left out", () => {
    const record = Buffer.from(`:000000 100644 ${NONE} ${oid("4")} A\0bad\xff\0`, "latin1");
    deepEqual(parseTreeDifference(record), {
      files: [],
      leftOut: [{ path: "bad\ufffd", why: "name" }],
      oids: [oid("4")],
    });
  });

  test("is refused in another form", () => {
    throws(() => raw("::100644 100644 100644", "a"), /unknown difference/);
  });

  test("contains objects of any bytes, in the order of the request, without missing ones", () => {
    const objects = fc.array(fc.record({ digit: fc.constantFrom(..."123456789abcdef"), bytes: fc.uint8Array() }));
    fc.assert(
      fc.property(objects, expected => {
        const output = Buffer.concat(
          expected.flatMap(({ digit, bytes }) => [
            Buffer.from(`${NONE} missing\n${oid(digit)} blob ${bytes.length}\n`),
            bytes,
            Buffer.from("\n"),
          ]),
        );
        deepEqual(
          parseObjects(output).map(object => [object.oid, object.kind, [...object.bytes]]),
          expected.map(({ digit, bytes }) => [oid(digit), "blob", [...bytes]]),
        );
      }),
    );
    deepEqual(parseObjects(Buffer.from(`${oid("1")} blob 10\nshort`)), []);
  });

  test("contains sizes, attributes, configuration and a version", () => {
    deepEqual(parseSizes(Buffer.from(`12\n${NONE} missing\n0\n`)), [12, undefined, 0]);
    const attributes = ["a", "filter", "lfs", "b", "filter", "unset", "b", "ident", "unspecified", "c", "ident", "set"];
    deepEqual([...parseAttributed(Buffer.from(`${attributes.join("\0")}\0`))], ["a", "c"]);
    deepEqual(
      [...parseConfig(Buffer.from("core.bare\nfalse\0core.bare\ntrue\0core.flag\0filter.A.clean\na\nb\0"))],
      [
        ["core.bare", "true"],
        ["core.flag", "true"],
        ["filter.A.clean", "a\nb"],
      ],
    );
    deepEqual(parseVersion("git version 2.39.5 (Apple Git-154)"), [2, 39]);
    deepEqual(parseVersion("git version 2.25.0.windows.1"), [2, 25]);
    equal(parseVersion("xcode-select: note: no developer tools were found"), undefined);
  });
});
