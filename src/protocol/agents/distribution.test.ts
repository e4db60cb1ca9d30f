import { deepEqual, equal } from "node:assert/strict";
import { readDistribution, type Distribution } from "./distribution";
import { typedCommand } from "./typed-command";

suite("distribution", () => {
  const whole: Distribution = {
    local: { command: "a", args: ["--acp"], env: { KEY: "v" } },
    executable: { path: "/a" },
    symposium: { subcommand: "eliza", args: ["--deterministic"] },
    npx: { package: "@s/p@1.2.3", cmd: "p", args: ["x"], env: { A: "1" } },
    uvx: { package: "p==1.2.3" },
    pipx: { package: "p" },
    cargo: { crate: "c", version: "1.0.0", binary: "b", args: ["acp"], env: { B: "2" } },
    binary: {
      "linux-x86_64": {
        archive: "https://example.com/a.zip",
        cmd: "./a",
        args: ["acp"],
        env: { C: "3" },
        sha256: "0123456789abcdef".repeat(4),
      },
    },
  };

  test("is parsed in every kind", () => deepEqual(readDistribution(JSON.parse(JSON.stringify(whole))), whole));

  test("accepts an address only for an MCP server", () => {
    const http = { url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } };
    deepEqual(
      [
        readDistribution({ http }, true),
        readDistribution({ http: { url: http.url, more: 1 } }, true),
        readDistribution({ http }),
        readDistribution({ http, npx: { package: "p" } }),
      ],
      [{ http }, { http: { url: http.url } }, undefined, { npx: { package: "p" } }],
    );
    for (const wrong of [
      {},
      "https://x",
      { url: 1 },
      { url: "" },
      { url: http.url, headers: ["A"] },
      { url: http.url, headers: { A: 1 } },
    ])
      equal(readDistribution({ http: wrong }, true), undefined, JSON.stringify(wrong));
    equal(typedCommand({ http, npx: { package: "p" } }), undefined);
  });

  test("drops unknown and invalid kinds and platforms and keeps others", () =>
    deepEqual(
      readDistribution({
        docker: {},
        npx: { package: 7 },
        uvx: { package: " " },
        binary: {
          "beos-x86": {},
          "linux-x86_64": { archive: "https://example.com/a.zip" },
          "darwin-aarch64": { archive: "https://example.com/a", cmd: "a", more: 1 },
        },
      }),
      { binary: { "darwin-aarch64": { archive: "https://example.com/a", cmd: "a" } } },
    ));

  test("rejects an archive with an invalid hash", () => {
    for (const sha256 of ["00", 7, null])
      equal(
        readDistribution({ binary: { "linux-x86_64": { archive: "https://example.com/a.zip", cmd: "a", sha256 } } }),
        undefined,
      );
  });

  test("is undefined if nothing valid is left", () => {
    for (const value of [
      undefined,
      null,
      [],
      {},
      "x",
      { npx: {} },
      { local: { command: "a", args: [1] } },
      { cargo: { crate: "c", env: { A: 1 } } },
      { binary: {} },
      { binary: [] },
    ])
      equal(readDistribution(value), undefined, JSON.stringify(value));
  });
});
