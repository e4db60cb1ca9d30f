import { deepEqual, equal } from "node:assert/strict";
import { readManifest, type Manifest } from "./manifest";

const MANIFEST: Manifest = {
  version: 1,
  source: { kind: "cargo", name: "house" },
  release: "1.0.0",
  program: "bin/house",
  runtimeArgs: [],
  args: ["acp"],
  env: { RULE: "x" },
  order: 1,
  installedAt: "2026-01-01T00:00:00Z",
  bytes: 1,
};

suite("installation manifest", () => {
  test("round-trips with and without launch metadata", () => {
    const { args: _, env: __, ...before } = MANIFEST;
    for (const manifest of [MANIFEST, before]) deepEqual(readManifest(JSON.stringify(manifest)), manifest);
  });

  test("is undefined if a member is invalid", () => {
    for (const odd of [
      { args: "acp" },
      { args: [1] },
      { env: [] },
      { env: { RULE: 1 } },
      { runtimeArgs: {} },
      { runtime: "deno" },
      { source: {} },
      { program: "../x" },
      { order: "1" },
      { version: 2 },
    ])
      equal(readManifest(JSON.stringify({ ...MANIFEST, ...odd })), undefined, JSON.stringify(odd));
  });
});
