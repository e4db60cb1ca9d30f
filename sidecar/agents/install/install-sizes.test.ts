import { deepEqual } from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { InstallSizes } from "./install-sizes";
import { announcedSize } from "./packages/announced-size";
import type { Installable } from "./installable";

const agent = (id: string) => ({ id, name: id, distribution: { npx: { package: id } } });
const NEVER = new AbortController().signal;

suite("install sizes", () => {
  let folder: string;
  setup(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sizes-"));
  });
  teardown(() => rm(folder, { recursive: true }));

  test("looks up each agent once, one at a time, and on this computer once a week", async () => {
    const calls: string[] = [];
    let now = 0,
      running = 0;
    const open = () =>
      new InstallSizes({
        folder,
        date: () => now,
        lookUp: async ({ id }) => {
          calls.push(`${id} ${++running}`);
          await Promise.resolve();
          running--;
          return id === "unknown" ? undefined : 100_000_000;
        },
        onWarning: () => undefined,
      });
    const sizes = open(),
      both = [agent("ada"), agent("unknown")];
    deepEqual(await Promise.all([sizes.of(both, NEVER), sizes.of(both, NEVER)]), [
      { ada: 100_000_000 },
      { ada: 100_000_000 },
    ]);
    deepEqual(calls, ["ada 1", "unknown 1"]);
    deepEqual(await open().of(both, NEVER), { ada: 100_000_000 });
    deepEqual(calls.length, 2);
    now = 8 * 24 * 3600 * 1000;
    await open().of(both, NEVER);
    deepEqual(calls.length, 4);
  });

  test("omits an agent whose lookup fails, and logs it", async () => {
    const warnings: string[] = [];
    const sizes = new InstallSizes({
      folder,
      date: () => 0,
      lookUp: () => Promise.reject(new Error("offline")),
      onWarning: what => warnings.push(what),
    });
    deepEqual(await sizes.of([agent("ada")], NEVER), {});
    deepEqual(warnings, ["The size of an agent is unknown"]);
  });
});

suite("announced size", () => {
  const sizeOf = (choice: Partial<Installable>, output = "", response = new Response("")) =>
    announcedSize(choice as Installable, NEVER, {
      fetch: async () => response,
      tools: async () => ({ find: name => `/bin/${name}` }),
      run: async ({ command, args }) => {
        deepEqual([command, ...args], ["/bin/npm", "view", "@a/b@^1", "dist.unpackedSize", "--json"]);
        return { exit: { code: 0, signal: null }, stdout: output, stderr: "" };
      },
    });
  const npm = { kind: "npx", spec: { name: "@a/b", version: "^1" } } as Installable,
    archive = { kind: "binary", of: { archive: "https://example.com/a.zip" } } as Installable;

  test("is npm's, of the newest version", async () => {
    deepEqual(await sizeOf(npm, "104857600\n"), 104_857_600);
    deepEqual(await sizeOf(npm, "[\n  1,\n  2\n]\n"), 2);
    deepEqual([await sizeOf(npm, ""), await sizeOf(npm, '"x"')], [undefined, undefined]);
  });

  test("is that of the server, which sends no content", async () => {
    const answer = new Response(new ReadableStream(), { headers: { "content-length": "42" } });
    deepEqual(await sizeOf(archive, "", answer), 42);
    deepEqual(
      await sizeOf(archive, "", new Response("", { status: 404, headers: { "content-length": "9" } })),
      undefined,
    );
    deepEqual(await sizeOf({ ...archive, of: { archive: "http://example.com/a.zip" } } as Installable), undefined);
    deepEqual(await sizeOf({ kind: "cargo" }), undefined);
  });
});
