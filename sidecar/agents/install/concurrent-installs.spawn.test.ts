import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { census } from "../../testing/census";
import { agent, bin, binary, InstallWorld, never, refused, versions } from "../../testing/install-world";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import type { Installer } from "./installer";

suite("several who ask", () => {
  test("for the same get one installation", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer(),
      config = binary(world, "1.0.0");
    const folders = (await Promise.all(Array.from({ length: 5 }, () => installer.install(config, never)))).map(
      one => one.folder,
    );
    deepEqual([new Set(folders).size, world.server.requests.length], [1, 1]);
  });

  test("in two windows at the same time get one installation", async () => {
    await using world = await InstallWorld.open();
    const config = binary(world, "1.0.0");
    const both = await Promise.all(
      [world.installer(), world.installer()].map(installer => installer.install(config, never)),
    );
    deepEqual([new Set(both.map(one => one.folder)).size, world.server.requests.length], [1, 1]);
  });

  test("for different versions get them one after the other", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer();
    const both = await Promise.all(["1.0.0", "2.0.0"].map(version => installer.install(binary(world, version), never)));
    deepEqual(
      both.map(one => one.release),
      ["1.0.0", "2.0.0"],
    );
    // Whichever was the second: what there is of each is looked up before, and that takes as long as it takes.
    deepEqual(versions(world), [both.find(one => one.order === 2)?.release]);
  });

  test("one who leaves takes nothing from the other", async () => {
    await using world = await InstallWorld.open();
    const installer = world.installer(),
      config = binary(world, "1.0.0"),
      leaving = new AbortController(),
      why = new Error("not me");
    const stays = installer.install(config, never),
      leaves = installer.install(config, leaving.signal);
    leaving.abort(why);
    await rejects(leaves, error => error === why);
    equal((await stays).release, "1.0.0");
  });

  test("the last who leaves ends it: nothing runs any more, nothing is left", async function () {
    if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
    await using world = await InstallWorld.open(undefined, {
      packages: { p: { version: "1.0.0", bin: bin("p") } },
      hangs: true,
    });
    const leaving = new AbortController(),
      why = new Error("enough");
    let wereRunning = 0;
    world.heard = progress => {
      if (progress?.line === "hanging") {
        wereRunning = census(world.run).length;
        leaving.abort(why);
      }
    };
    await rejects(world.installer().install(agent({ npx: { package: "p" } }), leaving.signal), error => error === why);
    ok(wereRunning > 0);
    deepEqual([census(world.run), versions(world)], [[], []]);
  });

  test("cancelled by name, and by the end of the sidecar", async () => {
    const endings: readonly ((installer: Installer) => unknown)[] = [
      installer => installer.cancel("some-agent"),
      installer => installer[Symbol.asyncDispose](),
    ];
    for (const end of endings) {
      await using world = await InstallWorld.open();
      const store = world.store(),
        list = store.list.bind(store),
        installer = world.installer({ change: { store } });
      const hanging = new Promise<void>(resolve => {
        world.heard = progress => {
          if (progress?.done === 10) resolve();
        };
      });
      const runs = refused(installer.install(binary(world, "1.0.0", { stop: 10 }), never), "cancelled", /cancelled/);
      await hanging;
      const looked = new Promise<void>(resolve => {
        store.list = id => list(id).finally(resolve);
      });
      const waits = refused(installer.install(binary(world, "2.0.0"), never), "cancelled", /cancelled/);
      await looked;
      await new Promise(resolve => setImmediate(resolve)); // it stands in the line
      end(installer);
      await Promise.all([runs, waits]);
      deepEqual(versions(world), []);
    }
  });
});
