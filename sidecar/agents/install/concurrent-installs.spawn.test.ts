import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { census } from "../../testing/census";
import { agent, bin, binary, InstallFixture, never, refused, versions } from "../../testing/install/install-fixture";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import type { Installer } from "./installer";

suite("concurrent installation", () => {
  test("shares one installation for the same version", async () => {
    await using fixture = await InstallFixture.open();
    const installer = fixture.installer(),
      config = binary(fixture, "1.0.0");
    const folders = (await Promise.all(Array.from({ length: 5 }, () => installer.install(config, never)))).map(
      installed => installed.folder,
    );
    deepEqual([new Set(folders).size, fixture.server.requests.length], [1, 1]);
  });

  test("shares one installation across two windows", async () => {
    await using fixture = await InstallFixture.open();
    const config = binary(fixture, "1.0.0");
    const both = await Promise.all(
      [fixture.installer(), fixture.installer()].map(installer => installer.install(config, never)),
    );
    deepEqual([new Set(both.map(installed => installed.folder)).size, fixture.server.requests.length], [1, 1]);
  });

  test("runs one after the other for different versions", async () => {
    await using fixture = await InstallFixture.open();
    const installer = fixture.installer();
    const both = await Promise.all(
      ["1.0.0", "2.0.0"].map(version => installer.install(binary(fixture, version), never)),
    );
    deepEqual(
      both.map(installed => installed.release),
      ["1.0.0", "2.0.0"],
    );
    // The order varies, because each installation first looks up the installed versions.
    deepEqual(versions(fixture), [both.find(installed => installed.order === 2)?.release]);
  });

  test("continues for the other request when one is cancelled", async () => {
    await using fixture = await InstallFixture.open();
    const installer = fixture.installer(),
      config = binary(fixture, "1.0.0"),
      leaving = new AbortController(),
      why = new Error("not me");
    const stays = installer.install(config, never),
      leaves = installer.install(config, leaving.signal);
    leaving.abort(why);
    await rejects(leaves, error => error === why);
    equal((await stays).release, "1.0.0");
  });

  test("stops all processes and leaves no files when the last request is cancelled", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    await using fixture = await InstallFixture.open(undefined, {
      packages: { p: { version: "1.0.0", bin: bin("p") } },
      hangs: true,
    });
    const leaving = new AbortController(),
      why = new Error("enough");
    let wereRunning = 0;
    fixture.onEvent = progress => {
      if (progress?.line === "hanging") {
        wereRunning = census(fixture.run).length;
        leaving.abort(why);
      }
    };
    await rejects(
      fixture.installer().install(agent({ npx: { package: "p" } }), leaving.signal),
      error => error === why,
    );
    ok(wereRunning > 0);
    deepEqual([census(fixture.run), versions(fixture)], [[], []]);
  });

  test("is cancelled by id and when the sidecar stops", async () => {
    const endings: readonly ((installer: Installer) => unknown)[] = [
      installer => installer.cancel("some-agent"),
      installer => installer[Symbol.asyncDispose](),
    ];
    for (const end of endings) {
      await using fixture = await InstallFixture.open();
      const store = fixture.store(),
        list = store.list.bind(store),
        installer = fixture.installer({ change: { store } });
      const hanging = new Promise<void>(resolve => {
        fixture.onEvent = progress => {
          if (progress?.done === 10) resolve();
        };
      });
      const runs = refused(installer.install(binary(fixture, "1.0.0", { stop: 10 }), never), "cancelled", /cancelled/);
      await hanging;
      const looked = new Promise<void>(resolve => {
        store.list = id => list(id).finally(resolve);
      });
      const waits = refused(installer.install(binary(fixture, "2.0.0"), never), "cancelled", /cancelled/);
      await looked;
      await new Promise(resolve => setImmediate(resolve)); // now it is queued
      end(installer);
      await Promise.all([runs, waits]);
      deepEqual(versions(fixture), []);
    }
  });
});
