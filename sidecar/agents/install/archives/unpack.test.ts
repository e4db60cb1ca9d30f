import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync, mkdirSync } from "node:fs";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { tarGz, tarOf, zipOf, type ArchiveEntry } from "../../../testing/install/archives";
import { temporaryFolder } from "../../../testing/drive";
import { LIMITS } from "./archive-path-guard";
import { realFiles } from "../store/files";
import { InstallError } from "../store/install-error";
import { archiveKind, unpack, type ArchiveKind, type UnpackOptions } from "./unpack";

/** Created by `tar -cj` from bin/agent (755) and README. */
const BZIP2 = Buffer.from(
  "QlpoOTFBWSZTWbnWp3UAALL/hcuQAkBoAP+AJgIQlH7jngAAAIAIAAggAJKIiZAAANAaaMjQyBtSkxPUekyG1AGgNMjI9SOKW+mqDSkyeyA8uQkiEHLY1CKt00hQORWMISkSLrsiUpgSGF/H9iubOTxArbfTwO21pxq69CgUd6JBmCAIoTxkA+6VK+eAWyUiVkQq2I6YVpm8tERY+XOj2jMU6j6aYk5exURMohL+LuSKcKEhc61O6g==",
  "base64",
);

interface Unpacking {
  readonly kind: ArchiveKind;
  readonly archive: Buffer;
  readonly options?: Partial<UnpackOptions>;
}

/** Maps paths to contents, with `*` before executables. Fails if a file was written outside the root. */
async function unpacked({ kind, archive, options = {} }: Unpacking): Promise<Record<string, string>> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, "archive"),
    root = path.join(folder.path, "a", "root");
  writeFileSync(file, archive);
  mkdirSync(root, { recursive: true });
  try {
    await unpack(file, root, {
      kind,
      program: "agent",
      signal: new AbortController().signal,
      files: realFiles,
      ...options,
    });
    return tree(root);
  } finally {
    deepEqual([readdirSync(folder.path).sort(), readdirSync(path.dirname(root))], [["a", "archive"], ["root"]]);
  }
}

function tree(root: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => {
        const file = path.join(entry.parentPath, entry.name),
          name = path.relative(root, file).replaceAll(path.sep, "/");
        const isProgram = process.platform !== "win32" && (statSync(file).mode & 0o111) !== 0;
        return [isProgram ? `*${name}` : name, readFileSync(file, "utf8")];
      })
      .sort(),
  );
}

const refused = (unpacking: Unpacking, code: InstallError["code"], message: RegExp): Promise<void> =>
  rejects(unpacked(unpacking), error => {
    ok(error instanceof InstallError, String(error));
    equal(error.code, code, error.message);
    match(error.message, message);
    return true;
  });

const plain: readonly ArchiveEntry[] = [
  { name: "bin/" },
  { name: "bin/agent", content: "#!/bin/sh\n", mode: 0o4755 },
  { name: "README", content: "read me", mode: 0o600 },
  { name: `deep/${"x".repeat(90)}/${"y".repeat(120)}`, content: "z" },
  { name: "empty", content: "" },
  { name: "Grüße/日本", content: "ok" },
];
const asUnpacked =
  process.platform === "win32"
    ? Object.fromEntries(
        plain
          .filter(({ name }) => !name.endsWith("/"))
          .map(({ name, content }) => [name, String(content)])
          .sort(),
      )
    : Object.fromEntries(
        plain
          .filter(({ name }) => !name.endsWith("/"))
          .map(({ name, content }) => [name === "bin/agent" ? `*${name}` : name, String(content)])
          .sort(),
      );

suite("archive", () => {
  test("has a kind by its name", () => {
    deepEqual(["a.zip", "a.tar.gz", "a.tgz", "a.tar.bz2", "A.TBZ2", "agent", "agent.exe", "a.gz"].map(archiveKind), [
      "zip",
      "tar.gz",
      "tar.gz",
      "tar.bz2",
      "tar.bz2",
      "raw",
      "raw",
      "raw",
    ]);
  });

  test("unpacks files, folders and long names of a zip, and only the executable mode", async () =>
    deepEqual(await unpacked({ kind: "zip", archive: zipOf(plain) }), asUnpacked));
  test("unpacks stored zip entries like compressed ones", async () =>
    deepEqual(
      await unpacked({ kind: "zip", archive: zipOf(plain.map(entry => ({ ...entry, stored: true }))) }),
      asUnpacked,
    ));
  test("unpacks a tar.gz", async () =>
    deepEqual(await unpacked({ kind: "tar.gz", archive: tarGz(plain) }), asUnpacked));
  test("unpacks a tar.gz of several gzip members without end blocks", async () => {
    const tar = tarOf(plain, { open: true });
    deepEqual(
      await unpacked({
        kind: "tar.gz",
        archive: Buffer.concat([gzipSync(tar.subarray(0, 1000)), gzipSync(tar.subarray(1000))]),
      }),
      asUnpacked,
    );
  });
  test("unpacks a tar.bz2", async () => {
    deepEqual(await unpacked({ kind: "tar.bz2", archive: BZIP2 }), {
      [process.platform === "win32" ? "bin/agent" : "*bin/agent"]: "#!/bin/sh\necho hi\n",
      README: "read me",
    });
  });
  test("makes a raw program executable", async () =>
    deepEqual(await unpacked({ kind: "raw", archive: Buffer.from("ELF"), options: { program: "bin/x" } }), {
      [process.platform === "win32" ? "bin/x" : "*bin/x"]: "ELF",
    }));
  test("accepts a repeated folder and “./”", async () => {
    for (const [kind, create] of [
      ["zip", zipOf],
      ["tar.gz", tarGz],
    ] as const)
      deepEqual(
        await unpacked({
          kind,
          archive: create([{ name: "./" }, { name: "./a/" }, { name: "a/" }, { name: "./a//b", content: "1" }]),
        }),
        { "a/b": "1" },
      );
  });
});

const NAMES: readonly [name: string, message: RegExp][] = [
  ["../evil", /points outside/],
  ["a/../../evil", /points outside/],
  ["a/..", /points outside/],
  ["/etc/evil", /absolute/],
  ["C:/evil", /absolute/],
  ["c:evil", /absolute/],
  ["..\\evil", /backslash/],
  ["a\\b", /backslash/],
  ["\\\\server\\share", /backslash/],
  ["installed.json", /that Symposium reserves/],
  ["Installed.JSON/x", /that Symposium reserves/],
  ["x".repeat(256), /too long/],
  ["a/".repeat(101) + "b", /too long/],
];

suite("hostile archive", () => {
  for (const [name, message] of NAMES) {
    for (const [kind, create] of [
      ["zip", zipOf],
      ["tar.gz", tarGz],
    ] as const) {
      test(`is rejected (${kind}): ${name.slice(0, 20)}`, () =>
        refused(
          {
            kind,
            archive: create([{ name: "fine" }, { name, content: "x" }]),
            options: { reserved: ["installed.json"] },
          },
          "hostile",
          message,
        ));
    }
  }

  test("is rejected for a tar folder with content", () =>
    refused(
      { kind: "tar.gz", archive: tarGz([{ name: "folder/", type: "5", content: "x".repeat(5000) }]) },
      "hostile",
      /folder with content/,
    ));

  test("is rejected for a NUL in a name", async () => {
    await refused({ kind: "zip", archive: zipOf([{ name: "a\0b", content: "x" }]) }, "hostile", /NUL/);
    await refused(
      { kind: "tar.gz", archive: tarGz([{ name: `a\0b${"c".repeat(100)}`, content: "x" }]) },
      "hostile",
      /NUL/,
    );
  });

  for (const [type, what] of [
    ["1", "hard link"],
    ["2", "symbolic link"],
    ["3", "character device"],
    ["4", "block device"],
    ["6", "FIFO"],
    ["S", "sparse file"],
  ] as const) {
    test(`is rejected for a tar entry that is a ${what}`, () =>
      refused(
        { kind: "tar.gz", archive: tarGz([{ name: "x", type, link: "/etc/passwd" }]) },
        "hostile",
        /is a link|neither/,
      ));
  }
  for (const attributes of [0o120777, 0o060644, 0o020644, 0o010644, 0o140755]) {
    test(`is rejected for zip attributes ${attributes.toString(8)}`, () =>
      refused(
        { kind: "zip", archive: zipOf([{ name: "x", content: "/etc/passwd", attributes }]) },
        "hostile",
        /link or a device/,
      ));
  }
  test("is rejected for an encrypted zip entry", () =>
    refused({ kind: "zip", archive: zipOf([{ name: "x", content: "y", flags: 1 }]) }, "hostile", /encrypted/));

  const twice: readonly (readonly [string, string])[] = [
    ["a", "a"],
    ["a/b", "A/B"],
    ["é", "e\u0301"],
    ["a", "a/b"],
    ["a/b", "A"],
    ["a", "./a"],
    ["a", "A/"],
  ];
  for (const [one, other] of twice) {
    for (const [kind, make] of [
      ["zip", zipOf],
      ["tar.gz", tarGz],
    ] as const) {
      test(`is rejected (${kind}): ${one} and ${other}`, () =>
        refused(
          {
            kind,
            archive: make([
              { name: one, content: "1" },
              { name: other, content: "2" },
            ]),
          },
          "hostile",
          /overwrite/,
        ));
    }
  }

  test("is rejected on Windows for reserved names", async () => {
    for (const name of ["nul", "a/CON.txt", "com1", "LPT².log", "a.", "b ", "file:stream", "what?", "a|b"]) {
      await refused(
        { kind: "zip", archive: zipOf([{ name, content: "x" }]), options: { platform: "win32" } },
        "hostile",
        /Windows/,
      );
    }
    if (process.platform !== "win32")
      deepEqual(
        await unpacked({ kind: "tar.gz", archive: tarGz([{ name: "Foo::Bar.3pm" }]), options: { platform: "linux" } }),
        { "Foo::Bar.3pm": "" },
      );
  });

  test("is rejected above the limit of entries", async () => {
    equal(LIMITS.entries, 100_000);
    const many = Array.from({ length: 1_001 }, (_, i) => ({ name: `d/${i}/`, stored: true })),
      options = { limits: { ...LIMITS, entries: 1_000 } };
    for (const [kind, create] of [
      ["zip", zipOf],
      ["tar.gz", tarGz],
    ] as const)
      await refused({ kind, archive: create(many), options }, "tooLarge", /1000 entries/);
  });

  test("is rejected above the size limit or compression ratio", async () => {
    const zeros = [{ name: "zeros", content: Buffer.alloc(3 << 20) }];
    for (const [kind, create] of [
      ["zip", zipOf],
      ["tar.gz", tarGz],
    ] as const) {
      await refused(
        { kind, archive: create(zeros), options: { limits: { ...LIMITS, bytes: 2 << 20 } } },
        "tooLarge",
        /contains more/,
      );
      await refused(
        { kind, archive: create(zeros), options: { limits: { ...LIMITS, ratioFrom: 1 << 20 } } },
        "tooLarge",
        /200 times/,
      );
      equal(Object.keys(await unpacked({ kind, archive: create(zeros) })).length, 1);
    }
  });

  test("is rejected by the written size of overlapping zip entries", () =>
    refused(
      {
        kind: "zip",
        archive: overlapping(50, Buffer.alloc(1 << 20)),
        options: { limits: { ...LIMITS, ratioFrom: 1 << 20 } },
      },
      "tooLarge",
      /200 times/,
    ));

  test("is rejected for wrong sizes", async () => {
    for (const size of [1, 4, 100])
      await refused({ kind: "zip", archive: zipOf([{ name: "x", content: "abc", size }]) }, "truncated", /damaged/);
    await refused(
      { kind: "zip", archive: zipOf([{ name: "x", content: "abc", size: 7, stored: true }]) },
      "truncated",
      /damaged/,
    );
    await refused(
      { kind: "tar.gz", archive: tarGz([{ name: "x", content: "abc", size: 1 << 30 }]) },
      "truncated",
      /damaged/,
    );
  });

  test("is rejected for wrong checksums", async () => {
    await refused({ kind: "zip", archive: zipOf([{ name: "x", content: "abc", sum: 1 }]) }, "truncated", /damaged/);
    const tar = tarOf([{ name: "x", content: "abc" }]);
    tar[0] = 0x79;
    await refused({ kind: "tar.gz", archive: gzipSync(tar) }, "truncated", /damaged/);
  });
});

/** Builds a zip with one compressed entry and a central directory that lists it under `n` names. */
function overlapping(n: number, content: Buffer): Buffer {
  const single = zipOf([{ name: "000", content }]),
    at = single.indexOf("PK\x01\x02", 0, "latin1"),
    end = single.length - 22;
  const entries = Array.from({ length: n }, (_, i) => {
    const entry = Buffer.from(single.subarray(at, end));
    entry.write(String(i).padStart(3, "0"), 46);
    return entry;
  });
  const directory = Buffer.concat(entries),
    tail = Buffer.from(single.subarray(end));
  tail.writeUInt16LE(n, 8);
  tail.writeUInt16LE(n, 10);
  tail.writeUInt32LE(directory.length, 12);
  return Buffer.concat([single.subarray(0, at), directory, tail]);
}

suite("damaged archive", () => {
  const content = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251));
  const whole: readonly (readonly [ArchiveKind, Buffer])[] = [
    [
      "zip",
      zipOf([
        { name: "a", content },
        { name: "b", content },
      ]),
    ],
    [
      "tar.gz",
      tarGz([
        { name: "a", content },
        { name: "b", content },
      ]),
    ],
    ["tar.bz2", BZIP2],
  ];

  for (const [kind, archive] of whole) {
    test(`is rejected if truncated anywhere (${kind})`, () =>
      fc.assert(
        fc.asyncProperty(fc.nat({ max: archive.length - 1 }), async length => {
          await refused({ kind, archive: archive.subarray(0, length) }, "truncated", /damaged/);
        }),
        { numRuns: 60 },
      ));

    test(`is rejected or harmless with any flipped bit (${kind})`, () =>
      fc.assert(
        fc.asyncProperty(fc.nat({ max: archive.length * 8 - 1 }), async bit => {
          const turned = Buffer.from(archive);
          turned[bit >> 3]! ^= 1 << (bit & 7);
          await unpacked({ kind, archive: turned }).catch((error: unknown) =>
            ok(error instanceof InstallError, String(error)),
          );
        }),
        { numRuns: 100 },
      ));

    test(`is rejected for other content under the name (${kind})`, () =>
      refused({ kind, archive: Buffer.from("<html>Not found</html>".repeat(100)) }, "truncated", /damaged/));
  }
});

suite("cancelled unpacking", () => {
  for (const [kind, create] of [
    ["zip", zipOf],
    ["tar.gz", tarGz],
  ] as const) {
    test(`rejects with the reason within a file (${kind})`, async () => {
      const ending = new AbortController(),
        why = new Error("enough");
      const archive = create([{ name: "a", content: randomBytes(1 << 20) }]);
      await rejects(
        unpacked({
          kind,
          archive,
          options: {
            signal: ending.signal,
            progress: done => {
              if (done > 100_000) ending.abort(why);
            },
          },
        }),
        error => error === why,
      );
    });
  }
});

suite("unpacking progress", () => {
  const content = Buffer.concat([randomBytes(300_000), Buffer.alloc(300_000)]),
    entries = [
      { name: "a", content },
      { name: "b", content: randomBytes(200_000) },
    ];
  const archives: readonly [kind: ArchiveKind, name: string, archive: Buffer][] = [
    ["zip", "zip", zipOf(entries)],
    ["zip", "zip, stored", zipOf(entries.map(entry => ({ ...entry, stored: true })))],
    ["tar.gz", "tar.gz", tarGz(entries)],
    ["raw", "a raw program", content],
  ];
  for (const [kind, name, archive] of archives)
    test(`reports increasing bytes of the archive and the total: ${name}`, async () => {
      const notifications: [number, number][] = [];
      await unpacked({
        kind,
        archive,
        options: {
          progress: (done, total) => {
            notifications.push([done, total]);
          },
        },
      });
      ok(notifications.length > 3);
      let before = 0;
      for (const [done, total] of notifications) {
        ok(done >= before && done <= total, `${before} ${done} ${total}`);
        equal(total, archive.length);
        before = done;
      }
      ok(before > archive.length * 0.9, `${before} of ${archive.length}`);
    });
});
