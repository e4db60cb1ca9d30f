import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import {
  agent,
  bin,
  binary,
  InstallFixture,
  never,
  refused,
  shown,
  versions,
} from "../../testing/install/install-fixture";
import { realFiles, type Files } from "./store/files";
import { MANIFEST } from "./store/manifest";

suite("installed version", () => {
  test("replaces the old version and removes it when it is unused", async () => {
    await using fixture = await InstallFixture.open();
    const user = fixture.installer(),
      installer = fixture.installer();
    await user.command(binary(fixture, "1.0.0"), never);
    await installer.install(binary(fixture, "2.0.0"), never);
    deepEqual(versions(fixture), ["1.0.0", "2.0.0"]); // the first version may still run
    await user[Symbol.asyncDispose]();
    await installer.install(binary(fixture, "3.0.0"), never);
    deepEqual(versions(fixture), ["3.0.0"]);
  });

  test("keeps and starts the previous version after a failed update, with a log entry", async () => {
    await using fixture = await InstallFixture.open();
    const installer = fixture.installer();
    await installer.install(binary(fixture, "1.0.0"), never);
    await refused(
      installer.install(binary(fixture, "2.0.0", { status: 404 }), never, "newest"),
      "refused",
      /Version 1\.0\.0 stays installed/,
    );
    deepEqual(shown(await installer.command(binary(fixture, "2.0.0", { status: 404 }), never), fixture), [
      "some-agent/1.0.0/bin/agent",
      "--acp",
    ]);
    ok(fixture.logged.includes("An installation failed; the previous version starts"));
    deepEqual(versions(fixture), ["1.0.0"]);
  });

  test("looks up newer versions only for unpinned packages and keeps an unchanged version", async () => {
    const packages = (version: string) => ({ packages: { p: { version, bin: bin("p") } } });
    await using fixture = await InstallFixture.open(undefined, packages("1.0.0"));
    const installer = fixture.installer(),
      open = agent({ npx: { package: "p@latest" } });
    const first = await installer.install(open, never);
    deepEqual((await installer.install(open, never, "newest")).folder, first.folder);
    equal(fixture.tools.calls.length, 2);
    fixture.tools.plan(packages("1.1.0"));
    equal((await installer.install(open, never, "newest")).release, "1.1.0");
    await installer.install(agent({ npx: { package: "p@1.1.0" } }), never, "newest");
    equal(fixture.tools.calls.length, 3);
    deepEqual(versions(fixture), ["1.1.0"]);
  });

  test("installs a requested version of an unpinned package only if it is newer", async () => {
    const packages = { packages: { p: { version: "3.0.0", bin: bin("p") } } };
    await using fixture = await InstallFixture.open(undefined, packages);
    const installer = fixture.installer(),
      open = agent({ npx: { package: "p" } }),
      release = async (config: AgentConfig, version: string) =>
        (await installer.install(config, never, { version })).release;
    await installer.install(agent({ npx: { package: "p@1.0.0" } }), never);
    equal(await release(open, "2.0.0"), "2.0.0");
    deepEqual(
      shown(await installer.command(open, never), fixture)
        .at(-1)
        ?.split("/")[1],
      "2.0.0",
    );
    equal(await release(open, "1.5.0"), "2.0.0");
    equal(await release(open, "2.0.0"), "2.0.0");
    equal(fixture.tools.calls.length, 2);
    equal(await release(agent({ npx: { package: "p@2.0.0" } }), "2.5.0"), "2.0.0");
    equal(await release(agent({ npx: { package: "p@^2.0.0" } }), "2.5.0"), "3.0.0");
    equal(await release(agent({ npx: { package: "p@latest" } }), "3.1.0"), "3.1.0");
    deepEqual(
      fixture.tools.calls.map(call => call.at(-1)),
      ["p@1.0.0", "p@2.0.0", "p@^2.0.0", "p@3.1.0"],
    );
    await rejects(installer.install({ ...open, id: "other" }, never, { version: "latest" }), /Not an exact version/);
  });

  test("keeps and starts the previous version if the requested one does not exist", async () => {
    await using fixture = await InstallFixture.open(undefined, {
      packages: { p: { version: "1.0.0", bin: bin("p") } },
    });
    const installer = fixture.installer(),
      open = agent({ npx: { package: "p" } });
    await installer.install(open, never);
    fixture.tools.plan({ fails: { code: 1, stderr: "npm error code ETARGET\n" } });
    await refused(
      installer.install(open, never, { version: "2.0.0" }),
      "toolFailed",
      /Version 1\.0\.0 stays installed/,
    );
    deepEqual(
      shown(await installer.command(open, never), fixture)
        .at(-1)
        ?.split("/")[1],
      "1.0.0",
    );
    deepEqual(versions(fixture), ["1.0.0"]);
  });

  test("installs another package with the same id and version in a separate folder", async () => {
    await using fixture = await InstallFixture.open(undefined, {
      packages: { one: { version: "1.0.0", bin: bin("one") }, two: { version: "1.0.0", bin: bin("two") } },
    });
    const installer = fixture.installer();
    await installer.command(agent({ npx: { package: "one@1.0.0" } }), never);
    deepEqual(
      shown(await installer.command(agent({ npx: { package: "two@1.0.0" } }), never), fixture).at(-1),
      "some-agent/1.0.0~2/node_modules/two/dist/two.js",
    );
  });

  test("ignores and repairs an incomplete installation", async () => {
    await using fixture = await InstallFixture.open();
    const folder = path.join(fixture.root, "some-agent", "1.0.0");
    const damages: readonly (() => void)[] = [
      () => {
        mkdirSync(path.join(folder, "bin"), { recursive: true });
        writeFileSync(path.join(folder, "bin", "agent"), "half");
      },
      () => writeFileSync(path.join(folder, "installed.json"), ""),
      () => writeFileSync(path.join(folder, "installed.json"), '{"version":2}'),
      () => rmSync(path.join(folder, "bin"), { recursive: true }),
      () => writeFileSync(path.join(folder, "bin", "agent"), ""),
    ];
    for (const damage of damages) {
      damage();
      await using installer = fixture.installer();
      const command = await installer.command(binary(fixture, "1.0.0"), never);
      equal(readFileSync(command.kind === "process" ? command.command : "", "utf8"), "1.0.0");
    }
    await fixture.store().cleanUp("some-agent");
    equal(versions(fixture).length, 1);
  });

  test("reinstalls on request, keeps a running version until it exits, and keeps it on failure", async () => {
    await using fixture = await InstallFixture.open(undefined, {
      packages: { p: { version: "1.0.0", bin: bin("p") } },
    });
    const installer = fixture.installer(),
      config = agent({ npx: { package: "p@1.0.0" } }),
      first = await installer.install(config, never);
    equal((await installer.install(config, never)).folder, first.folder);
    const second = await installer.install(config, never, "anew");
    ok(second.folder !== first.folder);
    deepEqual([second.release, versions(fixture).length], ["1.0.0", 1]);
    deepEqual(
      shown(await installer.command(config, never), fixture).at(-1),
      path.relative(fixture.root, path.join(second.folder, second.program)).replaceAll(path.sep, "/"),
    );
    const third = await installer.install(config, never, "anew"); // this process uses the second version
    deepEqual(versions(fixture), [second, third].map(({ folder }) => path.basename(folder)).sort());
    fixture.tools.plan({ fails: { code: 1, stderr: "npm error ENOTFOUND\n" } });
    await refused(installer.install(config, never, "anew"), "offline", /Version 1\.0\.0 stays installed/);
    equal((await fixture.store().find("some-agent", third.source))?.folder, third.folder);
  });

  test("is removed except a running version, which is no longer listed", async () => {
    await using fixture = await InstallFixture.open();
    const user = fixture.installer(),
      installer = fixture.installer();
    await user.command(binary(fixture, "1.0.0"), never);
    await installer.remove("some-agent");
    deepEqual([versions(fixture), await fixture.store().list("some-agent")], [["1.0.0"], []]);
    await user[Symbol.asyncDispose]();
    await fixture.store().cleanUpAll(never, error => {
      throw error;
    });
    deepEqual(versions(fixture), []);
    await installer.remove("some-agent");
    equal(existsSync(path.join(fixture.root, "some-agent")), false);
  });
});

suite("version that cannot be removed", () => {
  const denied = (code: string): Error => Object.assign(new Error(`${code}: not now`), { code, syscall: "x" });

  test("is uninstalled immediately and deleted later if its files are locked", async () => {
    await using fixture = await InstallFixture.open();
    const config = binary(fixture, "1.0.0");
    await fixture.installer().install(config, never);
    const holds: Files = {
        ...realFiles,
        rename: async (from, to) =>
          String(to).includes(".old-") ? Promise.reject(denied("EBUSY")) : realFiles.rename(from, to),
      },
      lockedFiles = fixture.installer({ files: holds });
    await lockedFiles.remove("some-agent");
    deepEqual([(await lockedFiles.state(config)).install, versions(fixture)], [{ kind: "missing" }, ["1.0.0"]]);
    await fixture.store().cleanUpAll(never, error => {
      throw error;
    });
    deepEqual(versions(fixture), []);
  });

  test("stays installed with a sentence if it is read-only", async () => {
    await using fixture = await InstallFixture.open();
    const config = binary(fixture, "1.0.0");
    await fixture.installer().install(config, never);
    const closed: Files = {
        ...realFiles,
        rm: async (file, options) =>
          String(file).endsWith(MANIFEST) ? Promise.reject(denied("EACCES")) : realFiles.rm(file, options),
      },
      installer = fixture.installer({ files: closed });
    await refused(installer.remove("some-agent"), "store", /is not writable: EACCES/);
    deepEqual((await installer.state(config)).install, { kind: "installed", version: "1.0.0" });
  });
});
