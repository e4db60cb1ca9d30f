import { equal, ok, rejects } from "node:assert/strict";
import { once } from "node:events";
import { createReadStream, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { temporaryFolder } from "../../../testing/drive";
import { program } from "../../../testing/programs/programs";
import { bunzipInWorker, bunzipInThread, type Bunzip } from "./bunzip";

/** 5,000,000 zeros, and “hello\n”, compressed by bzip2. */
const ZEROS = Buffer.from("QlpoOTFBWSZTWabi8/QAJkvAAsAACAAACCAAMMwFKaapEUbAoijxdyRThQkKbi8/QA==", "base64"),
  HELLO = Buffer.from("QlpoOTFBWSZTWcHAgOIAAAFBAAAQAkSgADDNAMNGKZcXckU4UJDBwIDi", "base64");

const endless = (): Readable =>
  new Readable({
    read() {
      setImmediate(() => this.push(HELLO));
    },
  });

const ways: readonly [name: string, bunzip: () => Bunzip][] = [
  ["in the same thread", () => bunzipInThread],
  ["in another thread", () => bunzipInWorker(program("symposium-acp-agent").args[0] ?? "")],
];
for (const [name, bunzip] of ways)
  suite(`bzip2, ${name}`, () => {
    const plain = async (packed: Buffer): Promise<Buffer> => {
      using folder = temporaryFolder();
      const file = path.join(folder.path, "a.bz2"),
        chunks: Buffer[] = [];
      writeFileSync(file, packed);
      for await (const chunk of bunzip()(createReadStream(file))) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    };

    test("decompresses the whole data", async () => {
      equal((await plain(HELLO)).toString(), "hello\n");
      const zeros = await plain(ZEROS);
      equal(zeros.length, 5_000_000);
      ok(zeros.every(byte => byte === 0));
      equal((await plain(Buffer.concat([HELLO, HELLO]))).toString(), "hello\nhello\n");
    });

    test("fails for invalid or truncated data", async () => {
      await rejects(plain(Buffer.from("<html>Not found</html>")));
      await rejects(plain(HELLO.subarray(0, 30)));
      const turned = Buffer.from(HELLO);
      turned[20]! ^= 1;
      await rejects(plain(turned));
    });

    test("ends with its reader and with its source", async () => {
      const source = endless();
      for await (const _ of bunzip()(source)) break;
      if (!source.closed) await once(source, "close");
      const broken = bunzip()(
        new Readable({
          read() {
            this.destroy(new Error("the disk is gone"));
          },
        }),
      );
      await rejects(once(broken, "end"), /the disk is gone/);
    });
  });

test("stops the worker thread when its reader stops", async () => {
  const ended = new Promise(resolve => {
    process.once("worker", worker => worker.once("exit", resolve));
  });
  for await (const _ of bunzipInWorker(program("symposium-acp-agent").args[0] ?? "")(endless())) break;
  await ended;
});

test("keeps the main thread responsive", async () => {
  let turns = 0,
    isOver = false;
  const counting = (async () => {
    for (; !isOver; turns++) await new Promise(resolve => setImmediate(resolve));
  })();
  for await (const _ of bunzipInWorker(program("symposium-acp-agent").args[0] ?? "")(Readable.from([ZEROS]))) {
    /* reads to the end */
  }
  isOver = true;
  await counting;
  ok(turns > 100, `${turns} turns`);
});
