import { deepEqual, equal, rejects } from "node:assert/strict";
import { FakeSidecar } from "../testing/fake-sidecar";
import { ContentCache, MAX_BYTES } from "./content-cache";

suite("content cache", () => {
  test("requests a content once, and again after a failure", async () => {
    const sidecar = new FakeSidecar(),
      cache = new ContentCache(() => sidecar.current());
    sidecar.reply("review/content", () => {
      throw new Error("gone");
    });
    await rejects(cache.read("/w", "1"), /gone/);
    sidecar.reply("review/content", () => ({ data: Buffer.from("text").toString("base64") }));
    const contents = await Promise.all([cache.read("/w", "1"), cache.read("/w", "1"), cache.read("/v", "1")]);
    deepEqual(
      contents.map(bytes => Buffer.from(bytes).toString()),
      ["text", "text", "text"],
    );
    equal(sidecar.calls.length, 3);
  });

  test("forgets the contents that were read least recently", async () => {
    const sidecar = new FakeSidecar(),
      cache = new ContentCache(() => sidecar.current()),
      data = Buffer.alloc(MAX_BYTES / 2).toString("base64");
    sidecar.reply("review/content", () => ({ data }));
    for (const oid of ["1", "2", "1", "3", "1", "2"]) await cache.read("/w", oid);
    deepEqual(
      sidecar.calls.map(({ params }) => params),
      ["1", "2", "3", "2"].map(oid => ({ root: "/w", oid })),
    );
  });
});
