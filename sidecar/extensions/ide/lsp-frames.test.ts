import { deepEqual, throws } from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import fc from "fast-check";
import { Peer } from "../../rpc/peer";
import { lspChannel, LspSplitter, NotLsp } from "./lsp-frames";

suite("LSP framing", () => {
  const framed = (body: string, header = `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`): Buffer =>
    Buffer.concat([Buffer.from(header), Buffer.from(body)]);
  const all = (splitter: LspSplitter): string[] => {
    const found: string[] = [];
    for (let next = splitter.next(); next; next = splitter.next()) found.push(next.toString());
    return found;
  };

  test("finds messages for any chunks and with other output between them", () => {
    const junk = fc.constantFrom("", "Listening…\n", "a\r\n\r\n", "x: y\r\n");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(junk, fc.string({ unit: "grapheme" })), { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (messages, cuts) => {
          const bytes = Buffer.concat(messages.flatMap(([before, body]) => [Buffer.from(before), framed(body)])),
            places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length],
            splitter = new LspSplitter(),
            found: string[] = [];
          places.slice(1).forEach((end, i) => {
            splitter.push(bytes.subarray(places[i], end));
            found.push(...all(splitter));
          });
          deepEqual(
            found,
            messages.map(([, body]) => body),
          );
        },
      ),
    );
  });

  test("reads additional headers and other spellings", () => {
    const splitter = new LspSplitter();
    splitter.push(framed("{}", "content-type: x\r\ncontent-length:2\r\n\r\n"));
    deepEqual(all(splitter), ["{}"]);
  });

  test("rejects an oversized message before it arrives", () => {
    for (const bytes of ["Content-Length: 101\r\n\r\n", "x".repeat(20_000), `${"y".repeat(20_000)}\r\n\r\n`]) {
      const splitter = new LspSplitter(100);
      splitter.push(Buffer.from(bytes));
      throws(() => splitter.next(), NotLsp);
    }
  });

  test("translates cancellations to LSP's form in both directions", async () => {
    const written: string[] = [],
      aborted: string[] = [],
      input = new Readable({ read: () => undefined });
    const peer = new Peer(
      lspChannel(
        input,
        new Writable({
          write: (chunk: Buffer, _, done) => {
            written.push(chunk.toString().split("\r\n\r\n")[1] ?? "");
            done();
          },
        }),
      ),
      {
        request: request => {
          request.signal.addEventListener("abort", () => aborted.push(String(request.id)));
        },
        notification: () => undefined,
        closed: ({ message }) => aborted.push(message),
      },
    );
    peer.call("a", {}, () => undefined).cancel();
    input.push(framed(`{"jsonrpc":"2.0","id":"s1","method":"x"}`));
    input.push(framed(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"s1"}}`));
    input.push(null);
    await new Promise(resolve => {
      input.once("close", resolve);
    });
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    deepEqual(written.slice(0, 2), [
      `{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`,
      `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`,
    ]);
    deepEqual(aborted, ["s1", "it has exited."]);
  });
});
