import { deepEqual, equal, match, ok } from "node:assert/strict";
import { deferred } from "../../protocol/wire/deferred";
import { SidecarRefused } from "../../errors";
import { ErrorCode } from "../../protocol/wire/errors";
import type { AgentState, RegistryUpdate } from "../../protocol/agents/agent-service";
import type { HostToSidecar } from "../../protocol/sidecar";
import type { ResultOf } from "../../protocol/wire/wire";
import { settled } from "../../testing/settled";
import { ADA, SettingsPlay, type PlayedPage } from "../../testing/settings-fixture";

const refused = (sentence: string): SidecarRefused => new SidecarRefused(ErrorCode.refused, sentence);
const sentences = (page: PlayedPage, id: string) => page.row(id).findings.map(({ sentence }) => sentence);
const states = (change: Partial<AgentState>) => ({
  agents: {
    ada: { kind: "npx" as const, install: { kind: "installed" as const, version: "1.0.0" }, running: 0, ...change },
  },
  extensions: {},
});

suite("row actions", () => {
  test("selects the agent of new tabs", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    await page.press("ada", "choose");
    deepEqual(
      [play.settings.currentAgentId, page.view.agents.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)],
      ["ada", ["ada"]],
    );
  });

  test("shows an installation, its silent cancellation and its completion", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.sidecar.hold("agents/install");
    await page.press("ada", "install");
    play.controller.installing("agent", "ada", { phase: "downloading", done: 1, total: 4 });
    await settled();
    deepEqual(
      [play.calls("agents/install").map(params => (params as { how: string }).how), page.row("ada").progress?.percent],
      [["missing"], 25],
    );
    await page.press("ada", "cancel");
    deepEqual(play.calls("agents/cancelInstall"), [{ of: "agent", id: "ada" }]);
    play.sidecar.refuse("agents/install", refused("It was cancelled."));
    play.sidecar.release();
    play.controller.installing("agent", "ada", undefined);
    await settled();
    deepEqual([sentences(page, "ada"), page.row("ada").progress], [[], undefined]);
    await page.press("ada", "install");
    deepEqual(sentences(page, "ada"), ["It was cancelled."]); // only the cancelled action is silent
  });

  test("shows a failed installation in its row until the next attempt", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.sidecar.refuse("agents/install", refused("npm does not know @x/ada."));
    await page.press("ada", "install");
    deepEqual([sentences(page, "ada"), sentences(page, "codex")], [["npm does not know @x/ada."], []]);
    play.sidecar.hold("agents/install");
    await page.press("ada", "install");
    deepEqual(sentences(page, "ada"), []);
  });

  test("ignores a second press during an action", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.sidecar.hold("agents/examine");
    await page.send(
      { type: "row", of: "agent", id: "ada", action: "examine" },
      { type: "row", of: "agent", id: "ada", action: "examine" },
      { type: "row", of: "agent", id: "ada", action: "install" },
    );
    equal(play.calls("agents/examine").length, 1);
    equal(play.calls("agents/install").length, 0);
  });

  test("ignores actions that the row does not offer", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    await page.press("ada", "uninstall");
    await page.press("gone", "remove");
    await page.press("ada", "copyReport");
    await page.press("elizacp", "remove");
    await page.press("house", "choose", "extension");
    await page.press("ada", "page");
    deepEqual([play.calls("agents/remove"), play.done, play.settings.own], [[], [], ["ada"]]);
  });

  test("shows a diagnosis with fix and report, and dismisses it", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.sidecar.reply(
      "agents/examine",
      (): ResultOf<HostToSidecar, "agents/examine"> => ({
        diagnosis: {
          cause: "noNode",
          sentence: "Ada needs Node.js.",
          fix: { action: "page", label: "Get Node.js", url: "https://nodejs.org/en/download" },
        },
        report: "R",
      }),
    );
    await page.press("ada", "examine");
    deepEqual(
      [
        sentences(page, "ada"),
        page.of("announce").at(-1)?.text,
        (play.calls("agents/examine")[0] as { cwd: string }).cwd,
      ],
      [["Ada needs Node.js."], "Ada needs Node.js.", "/w"],
    );
    await page.press("ada", "page");
    await page.press("ada", "copyReport");
    deepEqual(play.done, ["page https://nodejs.org/en/download", "copy R"]);
    await page.press("ada", "dismiss");
    deepEqual(sentences(page, "ada"), []);
  });

  test("dismisses the last start failure until the next", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/states", () => states({ lastError: { sentence: "It stopped.", at: 5 } }));
    const page = await play.page();
    await page.press("ada", "dismiss");
    deepEqual(sentences(page, "ada"), []);
    play.sidecar.reply("agents/states", () => states({ lastError: { sentence: "It stopped again.", at: 6 } }));
    play.controller.stateChanged();
    await settled();
    deepEqual(sentences(page, "ada"), ["It stopped again."]);
  });

  test("opens a tab to sign in, and signs out with the sidecar or by deleting keys", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/states", () => states({ signIn: "needed" }));
    play.withKeys.add("ada");
    const page = await play.page();
    await page.press("ada", "signIn");
    await page.press("ada", "signOut");
    deepEqual(
      [play.done, (play.calls("agents/signOut")[0] as { agent: { id: string } }).agent.id],
      [["tab ada"], "ada"],
    );
    match(page.of("announce").at(-1)?.text ?? "", /signed out of Ada/);
    play.withKeys.clear();
    await page.press("ada", "edit");
    play.controller.stateChanged();
    await settled();
    ok(!page.row("ada").buttons.some(({ action }) => action === "signOut"));
  });

  test("adds to an agent's own configuration after confirmation and offers a tab", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/planConfiguration", () => ({
      file: "/home/ada/x.json",
      text: "TEXT",
      backup: "/home/ada/x.json.before-symposium",
    }));
    play.sidecar.reply("agents/changeConfiguration", () => ({}));
    await play.page();
    play.confirms = false;
    await play.controller.addToConfiguration("ada");
    deepEqual(
      [play.done, play.calls("agents/changeConfiguration")],
      [["confirm Add Symposium to the configuration of Ada?"], []],
    );
    play.confirms = true;
    await play.controller.addToConfiguration("ada");
    deepEqual(
      (play.calls("agents/changeConfiguration") as { change: string }[]).map(({ change }) => change),
      ["add"],
    );
    match(play.done.at(-1) ?? "", /^offer Symposium is added to \/home\/ada\/x\.json\. Open a new tab/);
    play.sidecar.refuse("agents/planConfiguration", refused("It is read-only."));
    await play.controller.addToConfiguration("ada");
    deepEqual(play.done.at(-1), "tell It is read-only.");
  });

  test("shows, replaces or removes the entry in an agent's own configuration", async () => {
    const play = new SettingsPlay();
    const entries = ["absent", "added", "outdated"].map(kind => ({ kind: kind as "absent" | "added" | "outdated" })),
      shown: (readonly [readonly string[], readonly string[]])[] = [];
    play.sidecar.reply("agents/changeConfiguration", () => ({}));
    const page = await play.page();
    for (const entry of [
      ...entries,
      { kind: "edited" as const, why: "It was edited." },
      { kind: "refused" as const, why: "It is no JSON." },
    ]) {
      play.sidecar.reply("agents/states", () => states({ configuration: { file: "/x.json", entry } }));
      play.controller.stateChanged();
      await settled();
      shown.push([
        sentences(page, "ada"),
        page.row("ada").findings.flatMap(({ buttons }) => buttons.map(({ action }) => action)),
      ]);
      if (entry.kind !== "added") continue;
      await page.press("ada", "removeEntry");
      deepEqual(
        (play.calls("agents/changeConfiguration") as { change: string }[]).map(({ change }) => change),
        ["remove"],
      );
    }
    deepEqual(shown, [
      [[], []],
      [["Symposium has an entry in /x.json."], ["removeEntry"]],
      [["/x.json has the entry of another version of Symposium."], ["addEntry", "removeEntry"]],
      [["It was edited."], []],
      [[], []],
    ]);
  });

  test("removes an agent without files without confirmation and selects Eliza", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    await page.press("ada", "choose");
    await page.press("ada", "remove");
    deepEqual(
      [play.values["symposium.agents"], play.settings.currentAgentId, play.settings.problems, play.done],
      [[], "elizacp", [], []],
    );
    match(page.of("announce").at(-1)?.text ?? "", /Ada is removed\. New tabs use Eliza/);
  });

  test("removes an agent with its files after confirmation, and keeps it on failure", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/states", () => states({}));
    const page = await play.page();
    play.confirms = false;
    await page.press("ada", "remove");
    deepEqual([play.done, play.calls("agents/remove"), play.settings.own], [["confirm Remove Ada?"], [], ["ada"]]);
    play.confirms = true;
    play.sidecar.refuse("agents/remove", refused("It is in use."));
    await page.press("ada", "remove");
    deepEqual([sentences(page, "ada"), play.settings.own], [["It is in use."], ["ada"]]);
    const again = new SettingsPlay();
    again.sidecar.reply("agents/states", () => states({}));
    await (await again.page()).press("ada", "remove");
    deepEqual([again.calls("agents/remove"), again.settings.own], [[{ of: "agent", id: "ada" }], []]);
  });

  test("confirms once for repeated presses", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/states", () => states({}));
    const page = await play.page();
    await page.send(
      { type: "row", of: "agent", id: "ada", action: "remove" },
      { type: "row", of: "agent", id: "ada", action: "remove" },
    );
    deepEqual([play.done, page.of("announce").length], [["confirm Remove Ada?"], 1]);
  });

  test("removes nothing if another action starts during the confirmation", async () => {
    const play = new SettingsPlay(),
      answer = deferred<boolean>();
    play.sidecar.reply("agents/states", () => states({}));
    play.confirms = answer.promise;
    const page = await play.page();
    await page.press("ada", "remove");
    play.sidecar.hold("agents/examine");
    await page.press("ada", "examine");
    answer.resolve(true);
    await settled();
    deepEqual(
      [play.calls("agents/remove"), play.settings.own, page.row("ada").progress],
      [[], ["ada"], { label: "Checking…" }],
    );
  });

  test("uninstalls without removing the entry", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/states", () => states({}));
    const page = await play.page();
    await page.press("ada", "uninstall");
    deepEqual([play.calls("agents/remove"), play.settings.own, play.done], [[{ of: "agent", id: "ada" }], ["ada"], []]);
  });

  test("updates an entry from the registry and installs it, or checks the package's registry", async () => {
    const play = new SettingsPlay(),
      newer: RegistryUpdate = {
        of: "agent",
        id: "ada",
        name: "Ada",
        from: "1.0.0",
        to: "1.1.0",
        entry: { ...ADA, version: "1.1.0", distribution: { npx: { package: "@x/ada@1.1.0" } } },
      };
    play.sidecar.reply("agents/states", () => states({}));
    play.sidecar.reply("registry/updates", () => ({ updates: [newer], fetchedAt: 1 }));
    const page = await play.page();
    await page.send({ type: "checkUpdates" });
    deepEqual(
      [sentences(page, "ada"), page.of("announce").at(-1)?.text],
      [["The registry has version 1.1.0. Version 1.0.0 is installed."], "1 update is available."],
    );
    await page.press("ada", "update");
    deepEqual([play.settings.agents.find(({ id }) => id === "ada")?.version, sentences(page, "ada")], ["1.1.0", []]);
    deepEqual(
      play.calls("agents/install").map(params => {
        const { of, how, config } = params as { of: string; how: string; config: { version: string } };
        return [of, how, config.version];
      }),
      [["agent", "missing", "1.1.0"]],
    );
    await page.send({ type: "row", of: "extension", id: "house", action: "update" });
    equal(play.calls("agents/install").length, 1);
  });

  /** A page that shows an update of Gemini CLI. `version`: the installed one. */
  const withGemini = async (version: string) => {
    const play = new SettingsPlay(),
      gemini: RegistryUpdate = {
        of: "agent",
        id: "gemini",
        name: "Gemini CLI",
        from: "0.30.0",
        to: "0.31.0",
        package: "@google/gemini-cli",
      };
    play.sidecar.reply("agents/states", () => ({
      agents: { gemini: { ...states({}).agents.ada, install: { kind: "installed" as const, version } } },
      extensions: {},
    }));
    play.sidecar.reply("agents/install", () => {
      version = "0.31.0";
      return { version };
    });
    play.sidecar.reply("registry/updates", () => ({ updates: [gemini], fetchedAt: 1 }));
    const page = await play.page();
    const installs = () => play.calls("agents/install").map(params => (params as { how: unknown }).how);
    return { play, page, installs };
  };

  test("shows a newer version of an installed built-in agent and installs it", async () => {
    const { page, installs } = await withGemini("0.30.0");
    await page.send({ type: "checkUpdates" });
    deepEqual(
      [sentences(page, "gemini"), page.of("announce").at(-1)?.text],
      [["The registry has version 0.31.0. Version 0.30.0 is installed."], "1 update is available."],
    );
    await page.press("gemini", "update");
    deepEqual(
      [sentences(page, "gemini"), page.of("announce").at(-1)?.text, installs()],
      [[], "Gemini CLI 0.31.0 is installed.", [{ version: "0.31.0" }]],
    );
  });

  test("keeps the update of a built-in agent in its row after a failure", async () => {
    const { play, page } = await withGemini("0.30.0");
    await page.send({ type: "checkUpdates" });
    play.sidecar.reply("agents/install", () => ({}));
    play.sidecar.refuse("agents/install", refused("npm says no. Version 0.30.0 stays installed."));
    await page.press("gemini", "update");
    deepEqual(sentences(page, "gemini"), [
      "npm says no. Version 0.30.0 stays installed.",
      "The registry has version 0.31.0. Version 0.30.0 is installed.",
    ]);
  });

  test("checks the package's registry if another window has updated a built-in agent", async () => {
    const { page, installs } = await withGemini("0.32.0");
    await page.send({ type: "checkUpdates" });
    deepEqual(sentences(page, "gemini"), []);
    await page.press("gemini", "update");
    deepEqual(installs(), ["newest"]);
  });

  test("reports no installed update if the entry was removed meanwhile", async () => {
    const play = new SettingsPlay(),
      newer: RegistryUpdate = {
        of: "agent",
        id: "ada",
        name: "Ada",
        from: "1.0.0",
        to: "1.1.0",
        entry: { ...ADA, version: "1.1.0" },
      };
    play.sidecar.reply("agents/states", () => states({}));
    play.sidecar.reply("registry/updates", () => ({ updates: [newer] }));
    const page = await play.page();
    await page.send({ type: "checkUpdates" });
    play.sidecar.hold("agents/install");
    await page.press("ada", "update");
    await play.write("symposium.agents", []);
    const said = page.of("announce").length;
    play.sidecar.release();
    await settled();
    equal(page.of("announce").length, said);
  });

  test("updates, edits and removes an extension", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    await page.press("house", "update", "extension");
    deepEqual(
      play.calls("agents/install").map(params => (params as { how: string }).how),
      ["newest"],
    );
    await page.press("house", "edit", "extension");
    await page.press("house", "remove", "extension");
    deepEqual(
      [play.done, play.calls("agents/remove"), play.settings.allExtensions],
      [["go extensionsFile", "confirm Remove House rules?"], [{ of: "extension", id: "house" }], []],
    );
  });
});
