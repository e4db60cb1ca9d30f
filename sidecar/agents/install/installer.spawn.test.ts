import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import type { AgentConfig } from "../../../src/protocol/agents";
import type { InstallProgress } from "../../../src/protocol/agent-service";
import { tarGz, zipOf } from "../../testing/archives";
import { census } from "../../testing/census";
import { agent, InstallWorld, shown } from "../../testing/install-world";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import type { Plan } from "../../testing/file-server";
import { realClock } from "../../rpc/clock";
import { installBinary } from "./binary-package";
import { realFiles, type Files } from "./files";
import { InstallError, type InstallErrorCode } from "./install-error";
import type { Installer } from "./installer";
import { MANIFEST } from "./manifest";

const never = new AbortController().signal;
const bin = (...names: string[]): Record<string, string> => Object.fromEntries(names.map(name => [name, `dist/${name}.js`]));

async function refused(what: Promise<unknown>, code: InstallErrorCode, words: RegExp): Promise<void> {
  await rejects(what, error => { ok(error instanceof InstallError, String(error)); equal(error.code, code, error.message); match(error.message, words); return true; });
}

/** What a person would find there: without locks, uses and what is inside of the versions. */
function versions({ root }: InstallWorld, id = "some-agent"): readonly string[] {
  return existsSync(path.join(root, id)) ? readdirSync(path.join(root, id)).filter(name => name !== ".uses").sort() : [];
}

const archive = (content: string): Buffer => tarGz([{ name: "bin/agent", content, mode: 0o755 }]);
const binary = (world: InstallWorld, version: string, plan: Plan = {}, sha256?: string): AgentConfig => {
  const at = world.server.serve(`/agent-${encodeURIComponent(version)}.tar.gz`, { content: archive(version), ...plan });
  return agent({ binary: { "linux-x86_64": { archive: at, cmd: "./bin/agent", args: ["--acp"], env: { KEY: "v" }, ...(sha256 === undefined ? {} : { sha256 }) } } }, { version });
};

suite("an npm package", () => {
  const packages = { "@s/agent": { version: "2.0.0", bin: bin("agent", "other"), firstLine: "#!/usr/bin/env -S node --no-warnings=DEP0040" }, native: { version: "1.0.0", bin: "run.sh", firstLine: "#!/bin/sh" } };

  test("is installed by the user's npm, and its script is run by Node", async () => {
    await using world = await InstallWorld.open(undefined, { packages });
    const installer = world.installer();
    const config = agent({ npx: { package: "@s/agent@1.2.3", args: ["--acp"], env: { A: "1" } } });
    const command = await installer.command(config, never);
    deepEqual(shown(command, world), ["node", "--no-warnings=DEP0040", "some-agent/1.2.3/node_modules/@s/agent/dist/agent.js", "--acp"]);
    deepEqual(command.kind === "process" && command.env, { A: "1" });
    const [[tool, install, prefix, , ...rest] = []] = world.tools.calls;
    deepEqual([tool, install, prefix, ...rest], ["npm", "install", "--prefix", "--no-audit", "--no-fund", "--omit=dev", "--no-package-lock", "--loglevel=notice", "--", "@s/agent@1.2.3"]);
    deepEqual(await installer.state(config), { kind: "npx", install: { kind: "installed", version: "1.2.3" } });
  });

  test("without Node on the PATH it is not started with whatever is called so", async () => {
    await using world = await InstallWorld.open(undefined, { packages });
    const installer = world.installer({ change: { tools: async () => ({ find: name => name === "node" ? undefined : world.tools.find(name) }) } });
    await refused(installer.command(agent({ npx: { package: "@s/agent@1.2.3" } }), never), "noTool", /needs Node\.js/);
  });

  test("the second start asks nobody", async () => {
    await using world = await InstallWorld.open(undefined, { packages });
    const config = agent({ npx: { package: "@s/agent" } });
    const first = await world.installer().command(config, never), second = await world.installer().command(config, never);
    deepEqual(second, first);
    equal(world.tools.calls.length, 1);
    deepEqual(versions(world), ["2.0.0"]);
  });

  test("whose program is not for Node is started as npm links it; another command of it by its name", async () => {
    await using world = await InstallWorld.open(undefined, { packages });
    const installer = world.installer();
    deepEqual(shown(await installer.command(agent({ npx: { package: "native@1.0.0" } }), never), world), [`some-agent/1.0.0/node_modules/.bin/native${process.platform === "win32" ? ".cmd" : ""}`]);
    await installer.command(agent({ npx: { package: "@s/agent@2.0.0" } }), never);
    deepEqual(shown(await installer.command(agent({ npx: { package: "@s/agent@2.0.0", cmd: "other" } }), never), world).at(-1), "some-agent/2.0.0~2/node_modules/@s/agent/dist/other.js");
  });

  test("without the program that is wanted is none", async () => {
    await using world = await InstallWorld.open(undefined, { packages: { ...packages, none: { version: "1.0.0" }, two: { version: "1.0.0", bin: bin("a", "b") }, out: { version: "1.0.0", bin: { out: "../../x.js" } } } });
    const install = (name: string, cmd?: string): Promise<unknown> => world.installer().command(agent({ npx: { package: name, ...(cmd === undefined ? {} : { cmd }) } }), never);
    await refused(install("@s/agent", "third"), "noProgram", /has the programs agent, other, and no “third”/);
    await refused(install("none"), "noProgram", /has no program/);
    await refused(install("two"), "noProgram", /does not say which one/);
    await refused(install("out"), "noProgram", /outside of its folder/);
    deepEqual(versions(world), []);
  });

  test("npm's last words are told; offline and a full disk are known", async () => {
    await using world = await InstallWorld.open(undefined, { packages });
    const install = (): Promise<unknown> => world.installer().command(agent({ npx: { package: "@s/agent@1.0.0" } }), never);
    await refused(world.installer().command(agent({ npx: { package: "nothing" } }), never), "toolFailed", /npm stopped \(exit code 1\)\. Its last words: “npm error 404: nothing is not in this registry”$/);
    const causes = [
      ["npm error code ENOTFOUND\nnpm error A complete log of this run can be found in: /x\n", "offline", /npm stopped \(exit code 1\), because it cannot reach its registry\. Is this computer online\?/],
      ["npm error ENOSPC: no space left on device\n", "diskFull", /npm stopped \(exit code 1\), because the disk is full\. Make room/],
    ] as const;
    for (const [stderr, code, says] of causes) {
      world.tools.plan({ packages, fails: { code: 1, stderr } });
      await refused(install(), code, says);
    }
    deepEqual(versions(world), []);
  });
});

suite("a Python tool", () => {
  const packages = { "py-agent": { version: "0.9.0", bin: bin("py-agent", "py-helper") } };
  for (const tool of ["uv", "pipx"] as const) {
    test(`is installed by ${tool}, in its place for good`, async () => {
      await using world = await InstallWorld.open([tool], { packages });
      const pinned = await world.installer().command(agent({ uvx: { package: "py-agent[x]@1.0.0", args: ["acp"] } }), never);
      deepEqual(shown(pinned, world), ["some-agent/1.0.0/bin/py-agent", "acp"]);
      equal(readFileSync(pinned.kind === "process" ? pinned.command : "", "utf8").startsWith(`#!${world.root}`), true);
      const newest = await world.installer().command(agent({ pipx: { package: "py-agent", cmd: "py-helper" } }), never);
      deepEqual(shown(newest, world), ["some-agent/latest/bin/py-helper"]);
      deepEqual(world.tools.calls.map(call => call.slice(0, 2)), tool === "uv" ? [["uv", "tool"], ["uv", "tool"]] : [["pipx", "install"], ["pipx", "install"]].map((call, i) => [call[0], i === 0 ? "install" : "install"]));
      equal((await world.store().newest("some-agent"))?.release, "0.9.0");
    });
  }
});

suite("a crate", () => {
  const packages = { "rs-agent": { version: "3.1.4", bin: bin("rs-agent", "rs-tool") } };
  for (const [binstall, how] of [["works", "binstall"], ["fails", "install"], [undefined, "install"]] as const) {
    test(`binstall ${binstall ?? "is not there"}`, async () => {
      await using world = await InstallWorld.open(undefined, { packages, ...(binstall ? { binstall } : {}) });
      const command = await world.installer().command(agent({ cargo: { crate: "rs-agent", version: "1.0.0", args: ["acp"] } }), never);
      deepEqual(shown(command, world), ["some-agent/1.0.0/bin/rs-agent", "acp"]);
      equal(readFileSync(command.kind === "process" ? command.command : "", "utf8"), how);
      deepEqual(shown(await world.installer().command(agent({ cargo: { crate: "rs-agent", binary: "rs-tool" } }), never), world), ["some-agent/3.1.4/bin/rs-tool"]);
    });
  }
});

suite("a source build", () => {
  const packages = { "rs-agent": { version: "3.1.4", bin: bin("rs-agent") } }, config = agent({ cargo: { crate: "rs-agent" } });
  const folderOf = ({ root }: InstallWorld): string => path.join(root, ".builds", "some-agent");

  test("that fails is continued by the next try, also of another window; after its success nothing of it is left", async () => {
    await using world = await InstallWorld.open(["cargo"], { packages, fails: { code: 101, stderr: "error: could not compile" } });
    for (const compiled of ["crate\n", "crate\ncrate\n"]) {
      await refused(world.installer().command(config, never), "toolFailed", /could not compile/);
      equal(readFileSync(path.join(folderOf(world), "compiled"), "utf8"), compiled);
    }
    world.tools.plan({ packages });
    await world.installer().command(config, never);
    equal(existsSync(path.join(world.root, ".builds")), false);
  });

  test("that fills the disk leaves nothing", async () => {
    await using world = await InstallWorld.open(["cargo"], { packages, fails: { code: 101, stderr: "error: no space left on device (os error 28)" } });
    await refused(world.installer().command(config, never), "diskFull", /disk is full/);
    equal(existsSync(folderOf(world)), false);
  });

  test("that nobody continues for a week is swept, and goes with its agent", async () => {
    await using world = await InstallWorld.open(["cargo"], { packages, fails: { code: 101, stderr: "error: could not compile" } });
    const folder = folderOf(world), daysAgo = (days: number): void => utimesSync(folder, new Date(), new Date(Date.now() - days * 24 * 3600_000));
    const fail = (): Promise<void> => refused(world.installer().command(config, never), "toolFailed", /could not compile/);
    const sweep = (): Promise<void> => world.store().sweepAll(never, error => { throw error; });
    await fail();
    daysAgo(6);
    await sweep();
    equal(existsSync(folder), true);
    daysAgo(8);
    await fail();
    await sweep();
    equal(existsSync(folder), true, "a try is a use");
    daysAgo(8);
    await sweep();
    equal(existsSync(folder), false);
    await fail();
    await world.installer().remove("some-agent");
    equal(existsSync(folder), false);
  });
});

suite("an archive", () => {
  test("is fetched, checked, unpacked and started", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer(), config = binary(world, "1.0.0", {}, createHash("sha256").update(archive("1.0.0")).digest("hex"));
    deepEqual(await installer.state(config), { kind: "binary", install: { kind: "missing" } });
    const command = await installer.command(config, never);
    deepEqual([shown(command, world), command.kind === "process" && command.env], [["some-agent/1.0.0/bin/agent", "--acp"], { KEY: "v" }]);
    deepEqual(readdirSync(path.join(world.root, "some-agent", "1.0.0")).sort(), ["bin", "installed.json"]);
    await installer.command(config, never);
    equal(world.server.requests.length, 1);
    deepEqual([...new Set(world.progress.map(([, progress]) => progress?.phase))], ["downloading", "unpacking", undefined]);
  });

  test("of an agent without a version is “unversioned”; one that was packed without modes is made a program", async () => {
    await using world = await InstallWorld.open();
    const at = world.server.serve("/a.zip", { content: zipOf([{ name: "agent", content: "x" }]) });
    const config = agent({ binary: { "linux-x86_64": { archive: at, cmd: "agent" } } }), installer = world.installer();
    deepEqual(shown(await installer.command(config, never), world), ["some-agent/unversioned/agent"]);
    deepEqual((await installer.state(config)).install, { kind: "installed" }); // a folder's name is no version
  });

  test("with a wrong hash, without its program, hostile, or not there leaves nothing", async () => {
    await using world = await InstallWorld.open();
    const install = (config: AgentConfig): Promise<unknown> => world.installer().command(config, never);
    await refused(install(binary(world, "1.0.0", {}, "0".repeat(64))), "hash", /SHA-256/);
    await refused(install(binary(world, "1.0.0", { content: tarGz([{ name: "other", content: "x" }]) })), "noProgram", /no program “bin\/agent”/);
    await refused(install(binary(world, "1.0.0", { content: tarGz([{ name: "../agent", content: "x" }]) })), "hostile", /leads out/);
    await refused(install(binary(world, "1.0.0", { content: tarGz([{ name: "installed.json", content: "{}" }]) })), "hostile", /needs for itself/);
    await refused(install(binary(world, "1.0.0", { status: 404 })), "refused", /not there/);
    deepEqual(versions(world), []);
  });
});

suite("what needs no installation", () => {
  test("is a command at once", async () => {
    await using world = await InstallWorld.open([]);
    const installer = world.installer();
    deepEqual(await installer.command(agent({ local: { command: "mine", args: ["a"] }, npx: { package: "x" } }), never), { kind: "process", command: "mine", args: ["a"], env: {} });
    deepEqual(await installer.command(agent({ symposium: { subcommand: "eliza" } }), never), { kind: "eliza", deterministic: false });
    deepEqual(await installer.state(agent({ executable: { path: "/a" } })), { kind: "local", install: { kind: "ready" } });
    await refused(installer.install(agent({ local: { command: "mine" } }), never), "noPlatform", /nothing to install/);
  });

  test("what is at an address is there, and a wrong address is told without it", async () => {
    await using world = await InstallWorld.open([]);
    const installer = world.installer(), at = (url: string) => agent({ http: { url } });
    deepEqual(await installer.state(at("https://example.com/mcp")), { kind: "http", install: { kind: "ready" } });
    deepEqual(await installer.state(at("ftp://hunter2")), { kind: "http", install: { kind: "ready" }, missing: "Some Agent cannot be used: its address is none: write it whole, with https:// or http:// before it, as https://example.com/mcp." });
    await refused(installer.install(at("https://example.com/mcp"), never), "noPlatform", /is at an address: there is nothing to install/);
  });

  test("what cannot be had here says why", async () => {
    await using world = await InstallWorld.open([]);
    await refused(world.installer().command(agent({ npx: { package: "x" } }), never), "noTool", /Some Agent needs Node\.js with npm/);
    await refused(world.installer().command(agent({ binary: { "darwin-aarch64": { archive: "https://example.com/a.zip", cmd: "a" } } }), never), "noPlatform", /archives for darwin-aarch64 only/);
    match((await world.installer().state(agent({ npx: { package: "x" } }))).missing ?? "", /npm/);
  });

  test("an id that is no folder's name", async () => {
    await using world = await InstallWorld.open();
    for (const id of ["..", "a/b", "", ".hidden", "nul", "a\\b", "x".repeat(101), "-rf"]) await refused(world.installer().command({ ...binary(world, "1.0.0"), id }, never), "badName", /cannot be a folder's name/);
    deepEqual(world.server.requests, []);
  });

  test("a version that is no folder's name is in no folder of that name", async () => {
    await using world = await InstallWorld.open();
    await world.installer().command(binary(world, "../../evil"), never);
    deepEqual(versions(world), ["unversioned"]);
  });
});

suite("versions", () => {
  test("a new one replaces the old one, which goes when nobody uses it", async () => {
    await using world = await InstallWorld.open();
    const user = world.installer(), other = world.installer();
    await user.command(binary(world, "1.0.0"), never);
    await other.install(binary(world, "2.0.0"), never);
    deepEqual(versions(world), ["1.0.0", "2.0.0"]); // somebody may run the first one
    await user[Symbol.asyncDispose]();
    await other.install(binary(world, "3.0.0"), never);
    deepEqual(versions(world), ["3.0.0"]);
  });

  test("an update that fails leaves the one before, says so, and that one is started", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer();
    await installer.install(binary(world, "1.0.0"), never);
    await refused(installer.install(binary(world, "2.0.0", { status: 404 }), never, "newest"), "refused", /Version 1\.0\.0 stays installed/);
    deepEqual(shown(await installer.command(binary(world, "2.0.0", { status: 404 }), never), world), ["some-agent/1.0.0/bin/agent", "--acp"]);
    ok(world.logged.includes("An installation failed, and the version before it is started"));
    deepEqual(versions(world), ["1.0.0"]);
  });

  test("an update asks for a newer one only where the version is not fixed, and keeps what is the same", async () => {
    const packages = (version: string) => ({ packages: { p: { version, bin: bin("p") } } });
    await using world = await InstallWorld.open(undefined, packages("1.0.0"));
    const installer = world.installer(), open = agent({ npx: { package: "p@latest" } });
    const first = await installer.install(open, never);
    deepEqual((await installer.install(open, never, "newest")).folder, first.folder);
    equal(world.tools.calls.length, 2);
    world.tools.plan(packages("1.1.0"));
    equal((await installer.install(open, never, "newest")).release, "1.1.0");
    await installer.install(agent({ npx: { package: "p@1.1.0" } }), never, "newest");
    equal(world.tools.calls.length, 3);
    deepEqual(versions(world), ["1.1.0"]);
  });

  test("another package under the same id and version is installed beside it", async () => {
    await using world = await InstallWorld.open(undefined, { packages: { one: { version: "1.0.0", bin: bin("one") }, two: { version: "1.0.0", bin: bin("two") } } });
    const installer = world.installer();
    await installer.command(agent({ npx: { package: "one@1.0.0" } }), never);
    deepEqual(shown(await installer.command(agent({ npx: { package: "two@1.0.0" } }), never), world).at(-1), "some-agent/1.0.0~2/node_modules/two/dist/two.js");
  });

  test("half an installation is none, and is repaired", async () => {
    await using world = await InstallWorld.open();
    const folder = path.join(world.root, "some-agent", "1.0.0");
    const damages: readonly (() => void)[] = [
      () => { mkdirSync(path.join(folder, "bin"), { recursive: true }); writeFileSync(path.join(folder, "bin", "agent"), "half"); },
      () => writeFileSync(path.join(folder, "installed.json"), ""), () => writeFileSync(path.join(folder, "installed.json"), "{\"version\":2}"),
      () => rmSync(path.join(folder, "bin"), { recursive: true }), () => writeFileSync(path.join(folder, "bin", "agent"), ""),
    ];
    for (const damage of damages) {
      damage();
      await using installer = world.installer();
      const command = await installer.command(binary(world, "1.0.0"), never);
      equal(readFileSync(command.kind === "process" ? command.command : "", "utf8"), "1.0.0");
    }
    await world.store().sweep("some-agent");
    equal(versions(world).length, 1);
  });

  test("anew: what is there is replaced, and goes; what somebody runs stays until then; when that fails, what is there stays", async () => {
    await using world = await InstallWorld.open(undefined, { packages: { p: { version: "1.0.0", bin: bin("p") } } });
    const installer = world.installer(), config = agent({ npx: { package: "p@1.0.0" } }), first = await installer.install(config, never);
    equal((await installer.install(config, never)).folder, first.folder);
    const second = await installer.install(config, never, "anew");
    ok(second.folder !== first.folder);
    deepEqual([second.release, versions(world).length], ["1.0.0", 1]);
    deepEqual(shown(await installer.command(config, never), world).at(-1), path.relative(world.root, path.join(second.folder, second.program)).replaceAll(path.sep, "/"));
    const third = await installer.install(config, never, "anew"); // the second is in use by us
    deepEqual(versions(world), [second, third].map(({ folder }) => path.basename(folder)).sort());
    world.tools.plan({ fails: { code: 1, stderr: "npm error ENOTFOUND\n" } });
    await refused(installer.install(config, never, "anew"), "offline", /Version 1\.0\.0 stays installed/);
    equal((await world.store().find("some-agent", third.source))?.folder, third.folder);
  });

  test("says of many what is missing, and looks at tools and store once", async () => {
    await using world = await InstallWorld.open();
    const finds: string[] = [];
    let reads = 0;
    const files = new Proxy(realFiles, { get: (target, key): unknown => { if (key === "readdir") reads++; return Reflect.get(target, key); } });
    const installer = world.installer({ files, change: { tools: async () => ({ find: name => { finds.push(name); return name === "npm" ? "/npm" : undefined; } }) } });
    const configs = Array.from({ length: 10_000 }, (_, i) => ({ id: `a${i}`, name: `A ${i}`, version: "1", distribution: i % 2 === 0 ? { npx: { package: "a@1.0.0" } } : { uvx: { package: "a" } } }));
    const missing = await installer.missing(configs);
    deepEqual([missing.length, missing[0], missing[1]], [10_000, undefined, "A 1 needs uv or pipx, which was not found."]);
    deepEqual([finds.toSorted(), reads], [["npm", "pipx", "uv"], 1]);
  });

  test("percent can be told, while it is fetched and while it is unpacked", async () => {
    await using world = await InstallWorld.open();
    const archive = world.server.serve("/a.tar.gz", { content: tarGz([{ name: "bin/agent", content: randomBytes(200_000), mode: 0o755 }]) }), told: InstallProgress[] = [];
    mkdirSync(world.root, { recursive: true });
    await installBinary(world.root, { archive, cmd: "bin/agent" }, "1", { files: realFiles, clock: realClock, signal: never, platform: process.platform, httpArchives: true, progress: step => { told.push(step); } });
    for (const phase of ["downloading", "unpacking"]) ok(told.some(({ phase: of, done, total }) => of === phase && done !== undefined && done > 150_000 && total !== undefined && done <= total), phase);
  });

  test("bzip2 is unpacked by what is given for it", async () => {
    await using world = await InstallWorld.open();
    const packed = world.server.serve("/a.tar.bz2", { content: "packed" }), plain = gunzipSync(tarGz([{ name: "bin/agent", content: "x", mode: 0o755 }])), given: string[] = [];
    await using installer = world.installer({ change: { bunzip: source => Readable.from((async function* () {
      for await (const chunk of source) given.push(String(chunk));
      yield plain;
    })()) } });
    await installer.install(agent({ binary: { "linux-x86_64": { archive: packed, cmd: "bin/agent" } } }, { version: "1.0.0" }), never);
    deepEqual([given.join(""), versions(world)], ["packed", ["1.0.0"]]);
  });

  test("removed: nothing is left but what runs, and that is no installed version", async () => {
    await using world = await InstallWorld.open();
    const user = world.installer(), other = world.installer();
    await user.command(binary(world, "1.0.0"), never);
    await other.remove("some-agent");
    deepEqual([versions(world), await world.store().list("some-agent")], [["1.0.0"], []]);
    await user[Symbol.asyncDispose]();
    await world.store().sweepAll(never, error => { throw error; });
    deepEqual(versions(world), []);
    await other.remove("some-agent");
    equal(existsSync(path.join(world.root, "some-agent")), false);
  });
});

suite("what cannot be removed", () => {
  const denied = (code: string): Error => Object.assign(new Error(`${code}: not now`), { code, syscall: "x" });

  test("files that somebody holds go later; installed it is no more", async () => {
    await using world = await InstallWorld.open();
    const config = binary(world, "1.0.0");
    await world.installer().install(config, never);
    const holds: Files = { ...realFiles, rename: async (from, to) => String(to).includes(".old-") ? Promise.reject(denied("EBUSY")) : realFiles.rename(from, to) }, held = world.installer({ files: holds });
    await held.remove("some-agent");
    deepEqual([(await held.state(config)).install, versions(world)], [{ kind: "missing" }, ["1.0.0"]]);
    await world.store().sweepAll(never, error => { throw error; });
    deepEqual(versions(world), []);
  });

  test("what may not be changed stays, and why is a sentence", async () => {
    await using world = await InstallWorld.open();
    const config = binary(world, "1.0.0");
    await world.installer().install(config, never);
    const closed: Files = { ...realFiles, rm: async (file, options) => String(file).endsWith(MANIFEST) ? Promise.reject(denied("EACCES")) : realFiles.rm(file, options) }, installer = world.installer({ files: closed });
    await refused(installer.remove("some-agent"), "store", /cannot be written: EACCES/);
    deepEqual((await installer.state(config)).install, { kind: "installed", version: "1.0.0" });
  });
});

suite("several who ask", () => {
  test("for the same get one installation", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer(), config = binary(world, "1.0.0");
    const folders = (await Promise.all(Array.from({ length: 5 }, () => installer.install(config, never)))).map(one => one.folder);
    deepEqual([new Set(folders).size, world.server.requests.length], [1, 1]);
  });

  test("in two windows at the same time get one installation", async () => {
    await using world = await InstallWorld.open();
    const config = binary(world, "1.0.0");
    const both = await Promise.all([world.installer(), world.installer()].map(installer => installer.install(config, never)));
    deepEqual([new Set(both.map(one => one.folder)).size, world.server.requests.length], [1, 1]);
  });

  test("for different versions get them one after the other", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer();
    const both = await Promise.all(["1.0.0", "2.0.0"].map(version => installer.install(binary(world, version), never)));
    deepEqual(both.map(one => one.release), ["1.0.0", "2.0.0"]);
    // Whichever was the second: what there is of each is looked up before, and that takes as long as it takes.
    deepEqual(versions(world), [both.find(one => one.order === 2)?.release]);
  });

  test("one who leaves takes nothing from the other", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer(), config = binary(world, "1.0.0"), leaving = new AbortController(), why = new Error("not me");
    const stays = installer.install(config, never), leaves = installer.install(config, leaving.signal);
    leaving.abort(why);
    await rejects(leaves, error => error === why);
    equal((await stays).release, "1.0.0");
  });

  test("the last who leaves ends it: nothing runs any more, nothing is left", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    await using world = await InstallWorld.open(undefined, { packages: { p: { version: "1.0.0", bin: bin("p") } }, hangs: true });
    const leaving = new AbortController(), why = new Error("enough");
    let wereRunning = 0;
    world.heard = progress => { if (progress?.line === "hanging") { wereRunning = census(world.run).length; leaving.abort(why); } };
    await rejects(world.installer().install(agent({ npx: { package: "p" } }), leaving.signal), error => error === why);
    ok(wereRunning > 0);
    deepEqual([census(world.run), versions(world)], [[], []]);
  });

  test("cancelled by name, and by the end of the sidecar", async () => {
    const endings: readonly ((installer: Installer) => unknown)[] = [installer => installer.cancel("some-agent"), installer => installer[Symbol.asyncDispose]()];
    for (const end of endings) {
      await using world = await InstallWorld.open();
      const store = world.store(), list = store.list.bind(store), installer = world.installer({ change: { store } });
      const hanging = new Promise<void>(resolve => { world.heard = progress => { if (progress?.done === 10) resolve(); }; });
      const runs = refused(installer.install(binary(world, "1.0.0", { stop: 10 }), never), "cancelled", /cancelled/);
      await hanging;
      const looked = new Promise<void>(resolve => { store.list = id => list(id).finally(resolve); });
      const waits = refused(installer.install(binary(world, "2.0.0"), never), "cancelled", /cancelled/);
      await looked;
      await new Promise(resolve => setImmediate(resolve)); // it stands in the line
      end(installer);
      await Promise.all([runs, waits]);
      deepEqual(versions(world), []);
    }
  });
});
