import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { lazyLauncher } from "./lazy-launcher";
import type { SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import type { Launcher, SidecarProcess } from "./supervisor";
import { listeners } from "../testing/listeners";

const none = () => undefined;
const HANDLERS: Handlers<SidecarToHost> = { ...listeners(), "process/started": none, "process/ended": none };
const CLIENT = { request: () => Promise.reject(new Error("nobody")), notify: none, close: none };

suite("lazy launcher", () => {
  test("loads once at the first launch", async () => {
    const did: string[] = [];
    const process: SidecarProcess = {
      ready: Promise.resolve(CLIENT),
      ended: Promise.resolve("It ended."),
      stop: async () => {
        did.push("stop");
      },
    };
    const loaded: Launcher = {
      launch: node => {
        did.push(`launch ${node}`);
        return process;
      },
      reap: async (_, records) => {
        did.push(`reap ${records.length}`);
      },
    };
    const lazy = lazyLauncher(async () => {
      did.push("load");
      return loaded;
    });
    deepEqual(did, []);
    const launched = lazy.launch("own", HANDLERS);
    equal(await launched.ready, CLIENT);
    equal(await launched.ended, "It ended.");
    await launched.stop();
    await lazy.reap("login", []);
    deepEqual(did, ["load", "launch own", "stop", "reap 0"]);
  });

  test("fails the start and ends if loading fails", async () => {
    const launched = lazyLauncher(() => Promise.reject(new Error("no file"))).launch("own", HANDLERS);
    await rejects(launched.ready, /no file/);
    await launched.stop();
    ok(await launched.ended);
  });
});
