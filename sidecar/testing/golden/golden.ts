/** A test that runs a conversation with the product and compares its messages with the golden transcript. */
import { skipped } from "../skipped";
import { Transcript } from "../transcript";
import { Product, type ProductOptions } from "./product";

/** `name`: file name of the transcript. `behavior`: the test's title, also the first line of the transcript. */
export function golden(
  name: string,
  behavior: string,
  converse: (product: Product) => Promise<void>,
  options: ProductOptions = {},
): void {
  test(`${behavior} (${name})`, async function () {
    onlyPosix(this);
    await using product = await Product.open(options);
    await converse(product);
    compare(name, behavior, product.lines.all);
  });
}

/** Skips the test on Windows. */
export function onlyPosix(context: Mocha.Context): void {
  if (process.platform === "win32") skipped(context, "Golden transcripts contain POSIX paths, commands and signals");
}

export function compare(name: string, behavior: string, lines: readonly string[]): void {
  new Transcript([`# ${behavior}`, ...endsLast(lines)]).match(`sidecar/testing/transcripts/${name}.golden`);
}

/** An agent ends its MCP connections over HTTP, concurrently with the messages of its turn. The ends come last here. */
function endsLast(lines: readonly string[]): readonly string[] {
  const ends = new Set(
    lines.flatMap((line, i) => {
      const [, from, to, id] = /^(.*) → (.*) {2}mcp\/disconnect#(\d+) /.exec(line) ?? [],
        response = lines.findIndex((other, k) => k > i && other.startsWith(`${to} → ${from}  #${id} = `));
      return id === undefined ? [] : [i, response];
    }),
  );
  return [...lines.filter((_, i) => !ends.has(i)), ...lines.filter((_, i) => ends.has(i))];
}
