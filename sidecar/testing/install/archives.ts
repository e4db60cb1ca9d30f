/**
 * Builds archives for tests byte by byte, because packing tools refuse to create hostile ones. Names, entry types,
 * sizes and checksums can be arbitrary.
 */
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

export interface ArchiveEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** Permissions. Default: 0o644. */
  readonly mode?: number;
  /** Type flag of a tar entry: `0` file, `1` hard link, `2` symbolic link, `3` `4` devices, `5` folder, `6` FIFO. */
  readonly type?: string;
  readonly link?: string;
  /** Declared size, in place of the content's size. */
  readonly size?: number;
  readonly sum?: number;
  /** Upper half of a zip entry's attributes, in place of the value derived from `mode`. */
  readonly attributes?: number;
  /** Stores the zip entry without compression. */
  readonly stored?: boolean;
  readonly flags?: number;
}

function bytesOf({ content = "" }: ArchiveEntry): Buffer {
  return typeof content === "string" ? Buffer.from(content) : content;
}

/** Ends the archive with two blocks of zeros unless `open` is set. */
export function tarOf(entries: readonly ArchiveEntry[], { open = false } = {}): Buffer {
  return Buffer.concat([
    ...entries.flatMap(entry => [...longName(entry), tarHeader(entry), padded(bytesOf(entry))]),
    ...(open ? [] : [Buffer.alloc(1024)]),
  ]);
}

export function tarGz(entries: readonly ArchiveEntry[]): Buffer {
  return gzipSync(tarOf(entries));
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** Writes a pax header for a name that does not fit into the tar header. */
function longName({ name }: ArchiveEntry): Buffer[] {
  if (Buffer.byteLength(name) <= 100 && !name.includes("\0")) return [];
  const record = ` path=${name}\n`;
  let length = Buffer.byteLength(record) + 1;
  while (String(length).length + Buffer.byteLength(record) !== length)
    length = String(length).length + Buffer.byteLength(record);
  const content = Buffer.from(`${length}${record}`);
  return [tarHeader({ name: "PaxHeader", type: "x", content }), padded(content)];
}

export function tarHeader(entry: ArchiveEntry): Buffer {
  const { name, mode = 0o644, type = name.endsWith("/") ? "5" : "0", link = "", size = bytesOf(entry).length } = entry;
  const header = Buffer.alloc(512);
  header.write(name.slice(0, 100), 0);
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  header.write("0000000\0" + "0000000\0", 108);
  header.write(`${size.toString(8).padStart(11, "0")} `, 124);
  header.write("00000000000 ", 136);
  header.fill(" ", 148, 156);
  header.write(type, 156);
  header.write(link.slice(0, 100), 157);
  header.write("ustar\0" + "00", 257);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  return header;
}

const UNIX = 3 << 8;

export function zipOf(entries: readonly ArchiveEntry[]): Buffer {
  const bodies: Buffer[] = [],
    central: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name),
      plain = bytesOf(entry),
      packed = entry.stored ? plain : deflateRawSync(plain);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (entry.flags ?? 0), 2);
    common.writeUInt16LE(entry.stored ? 0 : 8, 4);
    common.writeUInt32LE(entry.sum ?? crc32(plain), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.size ?? plain.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(
      ((entry.attributes ?? (entry.name.endsWith("/") ? 0o040000 : 0o100000) | (entry.mode ?? 0o644)) << 16) >>> 0,
      6,
    );
    rest.writeUInt32LE(at, 10);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(UNIX | 20, 0);
    central.push(Buffer.concat([Buffer.from("PK\x01\x02"), madeBy, common, rest, name]));
    bodies.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central),
    end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([
    ...bodies,
    directory,
    ...(entries.length > 0xffff ? [zip64(entries.length, directory.length, at)] : []),
    end,
  ]);
}

/** End records of the zip64 format, which more than 65,535 entries require. */
function zip64(entries: number, length: number, at: number): Buffer {
  const record = Buffer.alloc(56),
    locator = Buffer.alloc(20);
  record.write("PK\x06\x06", 0, "latin1");
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  record.writeBigUInt64LE(BigInt(entries), 24);
  record.writeBigUInt64LE(BigInt(entries), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(at), 48);
  locator.write("PK\x06\x07", 0, "latin1");
  locator.writeBigUInt64LE(BigInt(at + length), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator]);
}
