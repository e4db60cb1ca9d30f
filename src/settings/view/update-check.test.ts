import { deepEqual, equal, match } from "node:assert/strict";
import { deferred } from "../../protocol/wire/deferred";
import { SidecarRefused } from "../../errors";
import { ErrorCode } from "../../protocol/wire/errors";
import type { RegistryUpdate } from "../../protocol/agents/agent-service";
import { settled } from "../../testing/settled";
import { ADA, SettingsPlay } from "../../testing/settings-fixture";

const refused = (sentence: string): SidecarRefused => new SidecarRefused(ErrorCode.refused, sentence);

suite("automatic updates", () => {
  const newer: RegistryUpdate = {
    of: "agent",
    id: "ada",
    name: "Ada",
    from: "1.0.0",
    to: "1.1.0",
    entry: { ...ADA, version: "1.1.0" },
  };
  const fixture = async (mode: "auto" | "notify" | "off") => {
    const play = new SettingsPlay();
    await play.write("symposium.updates", mode);
    play.sidecar.reply("registry/updates", () => ({ updates: [newer], fetchedAt: 1 }));
    return play;
  };
  const GEMINI: RegistryUpdate = {
    of: "agent",
    id: "gemini",
    name: "Gemini CLI",
    from: "0.30.0",
    to: "0.31.0",
    package: "@google/gemini-cli",
  };
  /** Settings without a registry entry, and a newer version of an installed built-in agent. */
  const builtIn = async (mode: "auto" | "notify") => {
    const play = await fixture(mode);
    await play.write("symposium.agents", []);
    play.sidecar.reply("registry/updates", () => ({ updates: [GEMINI], fetchedAt: 1 }));
    return play;
  };
  const version = (play: SettingsPlay) => play.settings.agents.find(({ id }) => id === "ada")?.version;

  test("asks once per version and day", async () => {
    const play = await fixture("notify");
    play.takes = false;
    await play.updates.sidecarRuns();
    deepEqual([play.done, version(play)], [["ask The registry has Ada 1.1.0 (you have 1.0.0)."], "1.0.0"]);
    await play.updates.sidecarRuns();
    equal(play.calls("registry/updates").length, 1);
    play.now += 86_400_000;
    await play.updates.sidecarRuns();
    deepEqual([play.calls("registry/updates").length, play.done.length], [2, 1]);
    equal(play.updates.known.length, 1);
  });

  test("installs with the user's consent", async () => {
    const play = await fixture("notify");
    await play.updates.sidecarRuns();
    deepEqual([version(play), play.calls("agents/install").length, play.updates.known], ["1.1.0", 1, []]);
  });

  test("reports a failed installation and continues with the next", async () => {
    const play = await fixture("notify");
    play.sidecar.refuse("agents/install", refused("npm says no."));
    await play.updates.sidecarRuns();
    deepEqual(
      [play.done.at(-1), version(play), play.updates.known.length],
      ["tell Ada 1.1.0 could not be installed: npm says no.", "1.0.0", 1],
    );
  });

  test("installs without asking if configured, with a log entry", async () => {
    const play = await fixture("auto"),
      lines: string[] = [];
    play.log.onLog(({ category, message }) => lines.push(`${category} ${message}`));
    await play.updates.sidecarRuns();
    deepEqual([play.done, version(play), lines], [[], "1.1.0", ["registry Updated"]]);
  });

  test("sends the built-in agents with each check", async () => {
    const play = await builtIn("notify");
    play.takes = false;
    await play.updates.sidecarRuns();
    const [params] = play.calls("registry/updates") as [{ agents: unknown; builtIns: { id: string }[] }];
    deepEqual([params.agents, params.builtIns.map(({ id }) => id)], [[], ["zed-claude-code", "codex", "gemini"]]);
    deepEqual(
      [play.done, play.calls("agents/install"), play.updates.known],
      [["ask The registry has Gemini CLI 0.31.0 (you have 0.30.0)."], [], [GEMINI]],
    );
  });

  test("installs the announced version of a built-in agent and leaves the settings unchanged", async () => {
    for (const mode of ["notify", "auto"] as const) {
      const play = await builtIn(mode);
      await play.updates.sidecarRuns();
      deepEqual(
        play.calls("agents/install").map(params => {
          const { of, how, config } = params as { of: string; how: unknown; config: { id: string } };
          return [of, config.id, how];
        }),
        [["agent", "gemini", { version: "0.31.0" }]],
      );
      deepEqual([play.values["symposium.agents"], play.updates.known], [[], []]);
    }
  });

  test("keeps an update of a built-in agent that failed", async () => {
    const play = await builtIn("notify");
    play.sidecar.refuse("agents/install", refused("npm says no. Version 0.30.0 stays installed."));
    await play.updates.sidecarRuns();
    deepEqual(
      [play.done.at(-1), play.updates.known],
      ["tell Gemini CLI 0.31.0 could not be installed: npm says no. Version 0.30.0 stays installed.", [GEMINI]],
    );
  });

  test("does not update a built-in agent that the user has pinned during the question", async () => {
    const play = await builtIn("notify");
    await play.updates.check();
    await play.write("symposium.agents", [
      { id: "gemini", name: "Gemini CLI", distribution: { npx: { package: "@google/gemini-cli@0.30.0" } } },
    ]);
    deepEqual([await play.updates.take(GEMINI), play.calls("agents/install"), play.updates.known], [false, [], []]);
  });

  test("skips an entry that was updated or removed during the question", async () => {
    for (const entries of [[], [{ ...ADA, version: "1.2.0" }]]) {
      const play = await fixture("notify");
      await play.updates.check();
      await play.write("symposium.agents", entries);
      deepEqual(
        [await play.updates.take(newer), play.calls("agents/install"), play.values["symposium.agents"]],
        [false, [], entries],
      );
    }
  });

  test("does not restore an entry that the user removed during the installation", async () => {
    const play = await fixture("notify");
    play.sidecar.hold("agents/install");
    const taken = play.updates.take(newer);
    await settled();
    await play.write("symposium.agents", []);
    play.sidecar.release();
    deepEqual([await taken, play.values["symposium.agents"]], [false, []]);
  });

  test("sends no requests if disabled or in an untrusted workspace", async () => {
    const off = await fixture("off"),
      untrusted = await fixture("notify");
    untrusted.trusted = false;
    await off.updates.sidecarRuns();
    await untrusted.updates.sidecarRuns();
    deepEqual([off.sidecar.calls, untrusted.sidecar.calls], [[], []]);
  });

  test("logs an unreadable registry and retries the next day", async () => {
    const play = await fixture("notify");
    play.sidecar.refuse("registry/updates", refused("There is no network."));
    await play.updates.sidecarRuns();
    await play.updates.sidecarRuns();
    deepEqual([play.done, play.calls("registry/updates").length, play.updates.registry.isReading], [[], 1, false]);
  });

  test("shares a running check and shows it on the pages", async () => {
    const play = await fixture("notify"),
      page = await play.page(),
      both = deferred<void>();
    play.sidecar.hold("registry/updates");
    void Promise.all([play.updates.check(), play.updates.check()]).then(() => both.resolve());
    await settled();
    deepEqual([page.view.registry, play.calls("registry/updates").length], ["Reading the registry…", 1]);
    play.sidecar.release();
    await both.promise;
    await settled();
    match(page.view.registry ?? "", /was read/);
  });

  test("writes no invalid registry entry to the settings", async () => {
    const play = await fixture("notify");
    play.sidecar.reply("registry/updates", () => ({ updates: [{ ...newer, entry: { id: "ada", distribution: {} } }] }));
    await play.updates.sidecarRuns();
    deepEqual(
      [play.done.at(-1), version(play)],
      ["tell Ada 1.1.0 could not be installed: The registry entry of Ada 1.1.0 is invalid.", "1.0.0"],
    );
  });
});
