import { deepEqual, equal, rejects } from "node:assert/strict";
import { existsSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import type { AgentCommand } from "../distributions/agent-command";
import { agent, bin, InstallFixture, never, refused, shown, versions } from "../../testing/install/install-fixture";

suite("npm package", () => {
  const packages = {
    "@s/agent": {
      version: "2.0.0",
      bin: bin("agent", "other"),
      firstLine: "#!/usr/bin/env -S node --no-warnings=DEP0040",
    },
    native: { version: "1.0.0", bin: "run.sh", firstLine: "#!/bin/sh" },
  };

  test("is installed by the user's npm, and its script runs with Node", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages });
    const installer = fixture.installer();
    const config = agent({ npx: { package: "@s/agent@1.2.3", args: ["--acp"], env: { A: "1" } } });
    const command = await installer.command(config, never);
    deepEqual(shown(command, fixture), [
      "node",
      "--no-warnings=DEP0040",
      "some-agent/1.2.3/node_modules/@s/agent/dist/agent.js",
      "--acp",
    ]);
    deepEqual(command.kind === "process" && command.env, { A: "1" });
    const [[tool, install, prefix, , ...rest] = []] = fixture.tools.calls;
    deepEqual(
      [tool, install, prefix, ...rest],
      [
        "npm",
        "install",
        "--prefix",
        "--no-audit",
        "--no-fund",
        "--omit=dev",
        "--no-package-lock",
        "--loglevel=notice",
        "--",
        "@s/agent@1.2.3",
      ],
    );
    deepEqual(await installer.state(config), { kind: "npx", install: { kind: "installed", version: "1.2.3" } });
  });

  test("does not start another program if Node is not on the PATH", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages });
    const installer = fixture.installer({
      change: { tools: async () => ({ find: name => (name === "node" ? undefined : fixture.tools.find(name)) }) },
    });
    await refused(installer.command(agent({ npx: { package: "@s/agent@1.2.3" } }), never), "noTool", /needs Node\.js/);
  });

  test("starts the second time without network requests", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages });
    const config = agent({ npx: { package: "@s/agent" } });
    const first = await fixture.installer().command(config, never),
      second = await fixture.installer().command(config, never);
    deepEqual(second, first);
    equal(fixture.tools.calls.length, 1);
    deepEqual(versions(fixture), ["2.0.0"]);
  });

  test("starts an installed version by this process's PATH without the login shell", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages });
    const config = agent({ npx: { package: "@s/agent@1.2.3" } });
    const first = await fixture.installer().command(config, never);
    const shell = { tools: () => Promise.reject(new Error("the login shell was run")) };
    const started = (find: (name: string) => string | undefined): Promise<AgentCommand> =>
      fixture.installer({ change: { ...shell, ownTools: { find } } }).command(config, never);
    deepEqual(await started(name => (name === "node" ? "node" : undefined)), first);
    await rejects(
      started(() => undefined),
      /the login shell was run/,
    );
  });

  test("starts any installed version of its package if that is accepted", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages });
    const installed = agent({ npx: { package: "@s/agent@1.2.3" } }),
      newer = agent({ npx: { package: "@s/agent@1.3.0" } });
    const first = await fixture.installer().command(installed, never);
    deepEqual(await fixture.installer().command(newer, never, "any"), first);
    equal(fixture.tools.calls.length, 1);
    await fixture.installer().command(newer, never);
    equal(versions(fixture).includes("1.3.0"), true);
    await fixture.installer().command(agent({ npx: { package: "native" } }), never, "any");
    equal(fixture.tools.calls.length, 3);
  });

  test("starts a program without a Node script by npm's link, and another command by its name", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages });
    const installer = fixture.installer();
    deepEqual(shown(await installer.command(agent({ npx: { package: "native@1.0.0" } }), never), fixture), [
      `some-agent/1.0.0/node_modules/.bin/native${process.platform === "win32" ? ".cmd" : ""}`,
    ]);
    await installer.command(agent({ npx: { package: "@s/agent@2.0.0" } }), never);
    deepEqual(
      shown(await installer.command(agent({ npx: { package: "@s/agent@2.0.0", cmd: "other" } }), never), fixture).at(
        -1,
      ),
      "some-agent/2.0.0~2/node_modules/@s/agent/dist/other.js",
    );
  });

  test("is rejected without the requested program", async () => {
    await using fixture = await InstallFixture.open(undefined, {
      packages: {
        ...packages,
        none: { version: "1.0.0" },
        two: { version: "1.0.0", bin: bin("a", "b") },
        out: { version: "1.0.0", bin: { out: "../../x.js" } },
      },
    });
    const install = (name: string, cmd?: string): Promise<unknown> =>
      fixture.installer().command(agent({ npx: { package: name, ...(cmd === undefined ? {} : { cmd }) } }), never);
    await refused(install("@s/agent", "third"), "noProgram", /has the programs agent, other, but no “third”/);
    await refused(install("none"), "noProgram", /has no program/);
    await refused(install("two"), "noProgram", /specifies none of them/);
    await refused(install("out"), "noProgram", /outside of its folder/);
    deepEqual(versions(fixture), []);
  });

  test("reports npm's last output and recognizes offline and full-disk errors", async () => {
    await using fixture = await InstallFixture.open(undefined, { packages });
    const install = (): Promise<unknown> =>
      fixture.installer().command(agent({ npx: { package: "@s/agent@1.0.0" } }), never);
    await refused(
      fixture.installer().command(agent({ npx: { package: "nothing" } }), never),
      "toolFailed",
      /npm exited \(exit code 1\)\. Its last output: “npm error 404: nothing is not in this registry”$/,
    );
    const causes = [
      [
        "npm error code ENOTFOUND\nnpm error A complete log of this run can be found in: /x\n",
        "offline",
        /npm exited \(exit code 1\) because it cannot reach its registry\. Check the network connection\./,
      ],
      [
        "npm error ENOSPC: no space left on device\n",
        "diskFull",
        /npm exited \(exit code 1\) because the disk is full\. Free some disk space/,
      ],
    ] as const;
    for (const [stderr, code, says] of causes) {
      fixture.tools.plan({ packages, fails: { code: 1, stderr } });
      await refused(install(), code, says);
    }
    deepEqual(versions(fixture), []);
  });
});

suite("Python tool", () => {
  const packages = { "py-agent": { version: "0.9.0", bin: bin("py-agent", "py-helper") } };
  for (const tool of ["uv", "pipx"] as const) {
    test(`is installed by ${tool} into its final folder`, async () => {
      await using fixture = await InstallFixture.open([tool], { packages });
      const pinned = await fixture
        .installer()
        .command(agent({ uvx: { package: "py-agent[x]@1.0.0", args: ["acp"] } }), never);
      deepEqual(shown(pinned, fixture), ["some-agent/1.0.0/bin/py-agent", "acp"]);
      equal(
        readFileSync(pinned.kind === "process" ? pinned.command : "", "utf8").startsWith(`#!${fixture.root}`),
        true,
      );
      const newest = await fixture
        .installer()
        .command(agent({ pipx: { package: "py-agent", cmd: "py-helper" } }), never);
      deepEqual(shown(newest, fixture), ["some-agent/latest/bin/py-helper"]);
      deepEqual(
        fixture.tools.calls.map(call => call.slice(0, 2)),
        tool === "uv"
          ? [
              ["uv", "tool"],
              ["uv", "tool"],
            ]
          : [
              ["pipx", "install"],
              ["pipx", "install"],
            ].map((call, i) => [call[0], i === 0 ? "install" : "install"]),
      );
      equal((await fixture.store().newest("some-agent"))?.release, "0.9.0");
    });
  }
});

suite("crate", () => {
  const packages = { "rs-agent": { version: "3.1.4", bin: bin("rs-agent", "rs-tool") } };
  for (const [binstall, how] of [
    ["works", "binstall"],
    ["fails", "install"],
    [undefined, "install"],
  ] as const) {
    test(`is installed if binstall ${binstall ?? "is missing"}`, async () => {
      await using fixture = await InstallFixture.open(undefined, { packages, ...(binstall ? { binstall } : {}) });
      const command = await fixture
        .installer()
        .command(agent({ cargo: { crate: "rs-agent", version: "1.0.0", args: ["acp"] } }), never);
      deepEqual(shown(command, fixture), ["some-agent/1.0.0/bin/rs-agent", "acp"]);
      equal(readFileSync(command.kind === "process" ? command.command : "", "utf8"), how);
      deepEqual(
        shown(
          await fixture.installer().command(agent({ cargo: { crate: "rs-agent", binary: "rs-tool" } }), never),
          fixture,
        ),
        ["some-agent/3.1.4/bin/rs-tool"],
      );
    });
  }
});

suite("source build", () => {
  const packages = { "rs-agent": { version: "3.1.4", bin: bin("rs-agent") } },
    config = agent({ cargo: { crate: "rs-agent" } });
  const folderOf = ({ root }: InstallFixture): string => path.join(root, ".builds", "some-agent");

  test("continues after a failure, also in another window, and leaves no files after its success", async () => {
    await using fixture = await InstallFixture.open(["cargo"], {
      packages,
      fails: { code: 101, stderr: "error: could not compile" },
    });
    for (const compiled of ["crate\n", "crate\ncrate\n"]) {
      await refused(fixture.installer().command(config, never), "toolFailed", /could not compile/);
      equal(readFileSync(path.join(folderOf(fixture), "compiled"), "utf8"), compiled);
    }
    fixture.tools.plan({ packages });
    await fixture.installer().command(config, never);
    equal(existsSync(path.join(fixture.root, ".builds")), false);
  });

  test("leaves no files when the disk is full", async () => {
    await using fixture = await InstallFixture.open(["cargo"], {
      packages,
      fails: { code: 101, stderr: "error: no space left on device (os error 28)" },
    });
    await refused(fixture.installer().command(config, never), "diskFull", /disk is full/);
    equal(existsSync(folderOf(fixture)), false);
  });

  test("is removed after a week and with its agent", async () => {
    await using fixture = await InstallFixture.open(["cargo"], {
      packages,
      fails: { code: 101, stderr: "error: could not compile" },
    });
    const folder = folderOf(fixture),
      daysAgo = (days: number): void => utimesSync(folder, new Date(), new Date(Date.now() - days * 24 * 3600_000));
    const fail = (): Promise<void> =>
      refused(fixture.installer().command(config, never), "toolFailed", /could not compile/);
    const cleanUp = (): Promise<void> =>
      fixture.store().cleanUpAll(never, error => {
        throw error;
      });
    await fail();
    daysAgo(6);
    await cleanUp();
    equal(existsSync(folder), true);
    daysAgo(8);
    await fail();
    await cleanUp();
    equal(existsSync(folder), true, "a try is a use");
    daysAgo(8);
    await cleanUp();
    equal(existsSync(folder), false);
    await fail();
    await fixture.installer().remove("some-agent");
    equal(existsSync(folder), false);
  });
});
