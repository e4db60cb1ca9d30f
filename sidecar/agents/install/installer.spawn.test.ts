import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import { realClock } from "../../rpc/clock";
import { tarGz, zipOf } from "../../testing/install/archives";
import {
  agent,
  archive,
  binary,
  InstallFixture,
  never,
  refused,
  shown,
  versions,
} from "../../testing/install/install-fixture";
import { installBinary } from "./packages/binary-package";
import { realFiles } from "./store/files";

suite("archive installation", () => {
  test("downloads, verifies, unpacks and starts the program", async () => {
    await using fixture = await InstallFixture.open();
    const installer = fixture.installer(),
      config = binary(fixture, "1.0.0", {}, createHash("sha256").update(archive("1.0.0")).digest("hex"));
    deepEqual(await installer.state(config), { kind: "binary", install: { kind: "missing" } });
    const command = await installer.command(config, never);
    deepEqual(
      [shown(command, fixture), command.kind === "process" && command.env],
      [["some-agent/1.0.0/bin/agent", "--acp"], { KEY: "v" }],
    );
    deepEqual(readdirSync(path.join(fixture.root, "some-agent", "1.0.0")).sort(), ["bin", "installed.json"]);
    await installer.command(config, never);
    equal(fixture.server.requests.length, 1);
    deepEqual(
      [...new Set(fixture.progress.map(([, progress]) => progress?.phase))],
      ["downloading", "unpacking", undefined],
    );
  });

  test("uses “unversioned” without a version and makes the program executable", async () => {
    await using fixture = await InstallFixture.open();
    const at = fixture.server.serve("/a.zip", { content: zipOf([{ name: "agent", content: "x" }]) });
    const config = agent({ binary: { "linux-x86_64": { archive: at, cmd: "agent" } } }),
      installer = fixture.installer();
    deepEqual(shown(await installer.command(config, never), fixture), ["some-agent/unversioned/agent"]);
    deepEqual((await installer.state(config)).install, { kind: "installed" }); // not the folder name
  });

  test("leaves no files for a wrong hash, a missing program, a hostile archive or a missing file", async () => {
    await using fixture = await InstallFixture.open();
    const install = (config: AgentConfig): Promise<unknown> => fixture.installer().command(config, never);
    await refused(install(binary(fixture, "1.0.0", {}, "0".repeat(64))), "hash", /SHA-256/);
    await refused(
      install(binary(fixture, "1.0.0", { content: tarGz([{ name: "other", content: "x" }]) })),
      "noProgram",
      /no program “bin\/agent”/,
    );
    await refused(
      install(binary(fixture, "1.0.0", { content: tarGz([{ name: "../agent", content: "x" }]) })),
      "hostile",
      /points outside/,
    );
    await refused(
      install(binary(fixture, "1.0.0", { content: tarGz([{ name: "installed.json", content: "{}" }]) })),
      "hostile",
      /that Symposium reserves/,
    );
    await refused(install(binary(fixture, "1.0.0", { status: 404 })), "refused", /does not exist/);
    deepEqual(versions(fixture), []);
  });

  test("reports progress while it downloads and unpacks", async () => {
    await using fixture = await InstallFixture.open();
    const archive = fixture.server.serve("/a.tar.gz", {
        content: tarGz([{ name: "bin/agent", content: randomBytes(200_000), mode: 0o755 }]),
      }),
      notifications: InstallProgress[] = [];
    mkdirSync(fixture.root, { recursive: true });
    await installBinary(fixture.root, { archive, cmd: "bin/agent" }, "1", {
      files: realFiles,
      clock: realClock,
      signal: never,
      platform: process.platform,
      httpArchives: true,
      progress: step => {
        notifications.push(step);
      },
    });
    for (const phase of ["downloading", "unpacking"])
      ok(
        notifications.some(
          ({ phase: of, done, total }) =>
            of === phase && done !== undefined && done > 150_000 && total !== undefined && done <= total,
        ),
        phase,
      );
  });

  test("unpacks bzip2 with the provided decompressor", async () => {
    await using fixture = await InstallFixture.open();
    const packed = fixture.server.serve("/a.tar.bz2", { content: "packed" }),
      plain = gunzipSync(tarGz([{ name: "bin/agent", content: "x", mode: 0o755 }])),
      sources: string[] = [];
    await using installer = fixture.installer({
      change: {
        bunzip: source =>
          Readable.from(
            (async function* () {
              for await (const chunk of source) sources.push(String(chunk));
              yield plain;
            })(),
          ),
      },
    });
    await installer.install(
      agent({ binary: { "linux-x86_64": { archive: packed, cmd: "bin/agent" } } }, { version: "1.0.0" }),
      never,
    );
    deepEqual([sources.join(""), versions(fixture)], ["packed", ["1.0.0"]]);
  });
});

suite("distribution without installation", () => {
  test("returns its command immediately", async () => {
    await using fixture = await InstallFixture.open([]);
    const installer = fixture.installer();
    deepEqual(
      await installer.command(agent({ local: { command: "mine", args: ["a"] }, npx: { package: "x" } }), never),
      { kind: "process", command: "mine", args: ["a"], env: {} },
    );
    deepEqual(await installer.command(agent({ symposium: { subcommand: "eliza" } }), never), {
      kind: "eliza",
      deterministic: false,
    });
    deepEqual(await installer.state(agent({ executable: { path: "/a" } })), {
      kind: "local",
      install: { kind: "ready" },
    });
    await refused(
      installer.install(agent({ local: { command: "mine" } }), never),
      "noPlatform",
      /needs no installation/,
    );
  });

  test("is ready at an address and rejects an invalid address without repeating it", async () => {
    await using fixture = await InstallFixture.open([]);
    const installer = fixture.installer(),
      at = (url: string) => agent({ http: { url } });
    deepEqual(await installer.state(at("https://example.com/mcp")), { kind: "http", install: { kind: "ready" } });
    deepEqual(await installer.state(at("ftp://hunter2")), {
      kind: "http",
      install: { kind: "ready" },
      missing:
        "Some Agent cannot be used: its URL is invalid: enter a complete URL that starts with https:// or http://, such as https://example.com/mcp.",
    });
    await refused(
      installer.install(at("https://example.com/mcp"), never),
      "noPlatform",
      /is a remote server and needs no installation/,
    );
  });

  test("reports why it is unavailable on this machine", async () => {
    await using fixture = await InstallFixture.open([]);
    await refused(
      fixture.installer().command(agent({ npx: { package: "x" } }), never),
      "noTool",
      /Some Agent needs Node\.js with npm/,
    );
    await refused(
      fixture
        .installer()
        .command(agent({ binary: { "darwin-aarch64": { archive: "https://example.com/a.zip", cmd: "a" } } }), never),
      "noPlatform",
      /archives for darwin-aarch64 only/,
    );
    match((await fixture.installer().state(agent({ npx: { package: "x" } }))).missing ?? "", /npm/);
  });

  test("rejects an id that is not a folder name", async () => {
    await using fixture = await InstallFixture.open();
    for (const id of ["..", "a/b", "", ".hidden", "nul", "a\\b", "x".repeat(101), "-rf"])
      await refused(
        fixture.installer().command({ ...binary(fixture, "1.0.0"), id }, never),
        "badName",
        /is not a valid folder name/,
      );
    deepEqual(fixture.server.requests, []);
  });

  test("uses “unversioned” for a version that is not a folder name", async () => {
    await using fixture = await InstallFixture.open();
    await fixture.installer().command(binary(fixture, "../../evil"), never);
    deepEqual(versions(fixture), ["unversioned"]);
  });

  test("reports the missing requirements of many agents with one lookup of tools and store", async () => {
    await using fixture = await InstallFixture.open();
    const finds: string[] = [];
    let reads = 0;
    const files = new Proxy(realFiles, {
      get: (target, key): unknown => {
        if (key === "readdir") reads++;
        return Reflect.get(target, key);
      },
    });
    const installer = fixture.installer({
      files,
      change: {
        tools: async () => ({
          find: name => {
            finds.push(name);
            return name === "npm" ? "/npm" : undefined;
          },
        }),
      },
    });
    const configs = Array.from({ length: 10_000 }, (_, i) => ({
      id: `a${i}`,
      name: `A ${i}`,
      version: "1",
      distribution: i % 2 === 0 ? { npx: { package: "a@1.0.0" } } : { uvx: { package: "a" } },
    }));
    const missing = await installer.missing(configs);
    deepEqual(
      [missing.length, missing[0], missing[1]],
      [10_000, undefined, "A 1 needs uv or pipx, which was not found."],
    );
    deepEqual([finds.toSorted(), reads], [["npm", "pipx", "uv"], 1]);
  });
});
