/**
 * Extracts the entries of a zip file by its central directory, which yauzl parses. This module inflates the data and
 * verifies its size and checksum.
 */
import * as l10n from "@vscode/l10n";
import type { Readable } from "node:stream";
import { createInflateRaw, crc32 } from "node:zlib";
import { getFileNameLowLevel, openPromise, type Entry } from "yauzl";
import { hostile } from "../store/install-error";
import type { Destination } from "./archive-path-guard";

const KIND = 0o170000,
  FILE = 0o100000,
  FOLDER = 0o040000;
/** Systems in the upper byte of `versionMadeBy` whose attributes are Unix modes. */
const UNIX: readonly number[] = [3, 19];

export async function unzip(archive: string, destination: Destination): Promise<void> {
  // Names are read raw: `decodeStrings` would replace backslashes before they are validated.
  const zip = await openPromise(archive, { lazyEntries: true, decodeStrings: false, autoClose: false });
  try {
    destination.expect(zip.entryCount);
    let before = 0,
      current = NONE;
    destination.reading(() => before + current());
    for await (const entry of zip.eachEntry()) {
      const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
      const mode = UNIX.includes(entry.versionMadeBy >>> 8) ? entry.externalFileAttributes >>> 16 : 0;
      const kind = mode & KIND;
      if (kind !== 0 && kind !== FILE && kind !== FOLDER) throw hostile(name, l10n.t("is a link or a device"));
      if (kind === FOLDER || name.endsWith("/")) {
        await destination.folder(name);
        continue;
      }
      if (entry.isEncrypted()) throw hostile(name, l10n.t("is encrypted"));
      await destination.file(
        name,
        (mode & 0o111) !== 0,
        contentOf(entry, await zip.openReadStreamPromise(entry, { decodeFileData: false }), bytesRead => {
          current = bytesRead;
        }),
      );
      before += entry.compressedSize;
      current = NONE;
    }
  } finally {
    zip.close();
  }
}

type BytesRead = () => number;
const NONE: BytesRead = () => 0;

const STORED = 0,
  DEFLATED = 8;

async function* contentOf(
  entry: Entry,
  packed: Readable,
  reading: (bytesRead: BytesRead) => void,
): AsyncGenerator<Buffer> {
  const { compressionMethod, uncompressedSize } = entry;
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED)
    throw new Error(`compression method ${compressionMethod}`);
  let sum = 0,
    size = 0;
  reading(() => size);
  for await (const chunk of compressionMethod === STORED ? packed : inflated(packed, reading)) {
    size += chunk.length;
    if (size > uncompressedSize) break;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (size !== uncompressedSize) throw new Error(l10n.t`${size} bytes instead of ${uncompressedSize}`);
  if (sum !== entry.crc32) throw new Error(`check sum ${sum.toString(16)} instead of ${entry.crc32.toString(16)}`);
}

/** The reader, if any, receives the errors of both streams. */
async function* inflated(packed: Readable, reading: (bytesRead: BytesRead) => void): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw();
  reading(() => inflate.bytesWritten);
  inflate.on("error", () => undefined);
  packed.on("error", error => inflate.destroy(error));
  try {
    yield* packed.pipe(inflate);
  } finally {
    packed.destroy();
  }
}
