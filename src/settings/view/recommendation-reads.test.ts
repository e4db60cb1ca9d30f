import { deepEqual, equal } from "node:assert/strict";
import { settled } from "../../testing/settled";
import { SettingsPlay } from "../../testing/settings-fixture";
import { DEBOUNCE_MS } from "./recommendations";

suite("recommended extensions: requests", () => {
  const requests = (play: SettingsPlay) =>
    play.calls("recommendations/read").map(params => (params as { readonly fetch: string }).fetch);

  test("are read from the known lists first, and downloaded as symposium.updates permits", async () => {
    const play = new SettingsPlay();
    await play.recommendations.read();
    await play.recommendations.read();
    deepEqual(requests(play), ["no", "ifOld", "ifOld"]);
    await play.write("symposium.updates", "off");
    await play.recommendations.read();
    await play.recommendations.read("refresh");
    deepEqual(requests(play).slice(3), ["no", "refresh"]);
  });

  test("are read once more after changes during a request", async () => {
    const play = new SettingsPlay();
    play.sidecar.hold("recommendations/read");
    const reads = [play.recommendations.read(), play.recommendations.read(), play.recommendations.read("refresh")];
    await settled();
    play.sidecar.release();
    await Promise.all(reads);
    deepEqual(requests(play), ["no", "ifOld", "refresh"]);
  });

  test("are read once after several changes of the project", async () => {
    const play = new SettingsPlay();
    await play.recommendations.read();
    for (let change = 0; change < 3; change++) {
      play.recommendations.projectChanged();
      play.clock.advance(DEBOUNCE_MS - 1);
    }
    equal(requests(play).length, 2);
    play.clock.advance(1);
    await settled();
    play.clock.advance(DEBOUNCE_MS);
    await settled();
    deepEqual([requests(play).slice(2), play.clock.waiting], [["ifOld"], 0]);
  });

  test("are read once more after changes of the project during a request", async () => {
    const play = new SettingsPlay();
    await play.recommendations.read();
    play.sidecar.hold("recommendations/read");
    const reading = play.recommendations.read();
    for (let change = 0; change < 3; change++) {
      play.recommendations.projectChanged();
      play.clock.advance(DEBOUNCE_MS);
    }
    await settled();
    play.sidecar.release();
    await reading;
    deepEqual(requests(play).slice(2), ["ifOld", "ifOld"]);
  });

  test("are not read a second time for changes before a request", async () => {
    const play = new SettingsPlay();
    await play.recommendations.read();
    play.recommendations.projectChanged();
    await play.recommendations.read();
    play.clock.advance(DEBOUNCE_MS);
    await settled();
    equal(requests(play).length, 3);
  });

  test("are not read after changes if no sidecar runs, or after the end of the extension", async () => {
    const play = new SettingsPlay();
    play.phase = { kind: "idle", run: 1 };
    play.recommendations.projectChanged();
    play.clock.advance(DEBOUNCE_MS);
    await settled();
    play.phase = { kind: "running", run: 1, node: "own", deaths: [] };
    play.recommendations.projectChanged();
    play.recommendations.dispose();
    play.clock.advance(DEBOUNCE_MS);
    await settled();
    deepEqual(requests(play), []);
  });

  test("send the user's lists and registry", async () => {
    const play = new SettingsPlay();
    await play.write("symposium.recommendations", ["~/a.toml", 3, " "]);
    await play.write("symposium.registryUrl", "https://example.com/registry.json");
    await play.recommendations.read();
    deepEqual(play.calls("recommendations/read")[0], {
      folders: ["/w"],
      lists: ["~/a.toml"],
      fetch: "no",
      accepted: [],
      registryUrl: "https://example.com/registry.json",
    });
  });

  test("are downloaded again with Check for Updates", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    await page.send({ type: "checkUpdates" });
    deepEqual(requests(play), ["no", "ifOld", "refresh"]);
  });
});
