import { deepEqual, equal, match, ok } from "node:assert/strict";
import { SidecarRefused, SidecarUnavailable } from "../../errors";
import { ErrorCode } from "../../protocol/wire/errors";
import type { AgentState } from "../../protocol/agents/agent-service";
import { settled } from "../../testing/settled";
import { ADA, HOUSE, PlayedPage, SettingsPlay } from "../../testing/settings-fixture";

const refused = (sentence: string): SidecarRefused => new SidecarRefused(ErrorCode.refused, sentence);
const marks = (page: PlayedPage, id: string, of: "agents" | "extensions" = "agents") =>
  page.row(id, of).marks.map(({ text }) => text);
const sentences = (page: PlayedPage, id: string) => page.row(id).findings.map(({ sentence }) => sentence);
const notes = (page: PlayedPage) => page.view.notes.map(({ sentence }) => sentence);
const states = (change: Partial<AgentState>) => ({
  agents: {
    ada: { kind: "npx" as const, install: { kind: "installed" as const, version: "1.0.0" }, running: 0, ...change },
  },
  extensions: {},
});
const BACKOFF = { kind: "backoff", run: 1, node: "own", deaths: [0] } as const;
const RUNNING = { kind: "running", run: 2, node: "own", deaths: [0] } as const;

suite("SettingsController", () => {
  test("posts a view immediately and again with the sidecar's states", async () => {
    const play = new SettingsPlay();
    play.sidecar.hold("agents/states");
    const page = await play.page();
    deepEqual(marks(page, "ada"), ["…"]);
    play.sidecar.release();
    await settled();
    deepEqual([marks(page, "ada"), marks(page, "house", "extensions")], [["not installed"], ["installed 0.1.0"]]);
  });

  test("posts nothing to a page that is not ready and sends no requests", async () => {
    const play = new SettingsPlay(),
      page = new PlayedPage(play.controller, false);
    play.controller.changed();
    play.controller.settingsChanged();
    play.controller.stateChanged();
    await settled();
    deepEqual([page.posted, play.sidecar.calls], [[], []]);
  });

  test("posts one view per tick and no equal views", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    const before = page.of("view").length;
    for (const done of [1, 2, 3]) play.controller.installing("agent", "ada", { phase: "downloading", done });
    play.controller.changed();
    await settled();
    equal(page.of("view").length, before + 1);
    play.controller.changed();
    play.controller.stateChanged();
    await settled();
    equal(page.of("view").length, before + 1);
  });

  test("posts nothing to a hidden page and a full view when it is visible again", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    page.hidden();
    page.posted.length = 0;
    await play.write("symposium.currentAgentId", "ada");
    deepEqual(page.posted, []);
    await page.send({ type: "ready" });
    ok(page.view.agents.some(({ id, isCurrent }) => id === "ada" && isCurrent));
  });

  test("posts the same view to two pages, with their kind", async () => {
    const play = new SettingsPlay(),
      view = await play.page(),
      full = await play.page(true);
    await play.write("symposium.currentAgentId", "ada");
    deepEqual([view.view.isPage, full.view.isPage, view.view.agents], [false, true, full.view.agents]);
    view.hidden();
    const before = view.posted.length;
    await play.write("symposium.currentAgentId", "");
    equal(view.posted.length, before);
    await view.send({ type: "ready" });
    view.dispose();
    const after = view.posted.length;
    await play.write("symposium.currentAgentId", "ada");
    equal(view.posted.length, after);
  });

  test("requests programs once per page and states one request at a time", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.sidecar.hold("agents/states");
    for (let n = 0; n < 3; n++) play.controller.stateChanged();
    await settled();
    equal(play.calls("agents/states").length, 2);
    play.sidecar.release();
    await settled();
    deepEqual([play.calls("agents/states").length, play.calls("agents/find").length], [3, 1]);
    await page.send({ type: "ready" });
    equal(play.calls("agents/find").length, 2);
  });

  test("shows found programs as rows and requests their states", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/find", () => ({ found: { goose: "/bin/goose" } }));
    const page = await play.page();
    deepEqual(marks(page, "goose"), ["not installed", "found: /bin/goose"]);
    await page.press("goose", "choose");
    deepEqual(
      [play.settings.currentAgentId, play.settings.agents.at(-1)?.distribution],
      ["goose", { local: { command: "goose", args: ["acp"] } }],
    );
  });

  test("requests icons of registry entries once, and none if updates are off", async () => {
    const play = new SettingsPlay();
    play.sidecar.reply("registry/icons", () => ({ icons: { ada: "data:image/png;base64,AA" } }));
    const page = await play.page();
    equal(page.row("ada").icon, "data:image/png;base64,AA");
    play.controller.stateChanged();
    await settled();
    deepEqual(play.calls("registry/icons"), [{ ids: ["ada"] }]);
    const off = new SettingsPlay();
    await off.write("symposium.updates", "off");
    await off.page();
    deepEqual(off.calls("registry/icons"), []);
  });

  test("does not wait for slow icons", async () => {
    const play = new SettingsPlay();
    play.sidecar.hold("registry/icons");
    const page = await play.page();
    play.sidecar.reply("agents/states", () => states({}));
    play.controller.stateChanged();
    await settled();
    deepEqual(marks(page, "ada"), ["installed 1.0.0"]);
  });

  test("ignores failed icons and requests them again", async () => {
    const play = new SettingsPlay();
    play.sidecar.refuse("registry/icons", refused("There is no network."));
    const page = await play.page();
    play.controller.stateChanged();
    await settled();
    deepEqual([notes(page), play.calls("registry/icons").length], [[], 2]);
  });

  test("requests missing icons again only for a new page", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.controller.stateChanged();
    await settled();
    equal(play.calls("registry/icons").length, 1);
    await page.send({ type: "ready" });
    equal(play.calls("registry/icons").length, 2);
  });

  test("requests, starts and adds nothing in an untrusted workspace", async () => {
    const play = new SettingsPlay();
    play.trusted = false;
    const page = await play.page();
    await page.press("ada", "install");
    await page.press("ada", "choose");
    const { values } = play;
    await page.send(
      { type: "add", what: "agent" },
      { type: "checkUpdates" },
      { type: "bypass", id: "ada", isOn: true },
      { type: "enable", id: "house", isOn: false },
      { type: "note", action: "trust" },
    );
    await play.write("symposium.extensions", [{ id: "other", distribution: { local: { command: "o" } } }, HOUSE]);
    await page.send({ type: "move", id: "house", to: 0 });
    deepEqual(
      [play.sidecar.calls, play.done, play.settings.currentAgentId, page.view.isRestricted],
      [[], ["go trust"], "elizacp", true],
    );
    deepEqual(
      [play.values["symposium.agents"], play.settings.allExtensions.map(({ config }) => config.id)],
      [values["symposium.agents"], ["other", "house"]],
    );
    play.trusted = true;
    play.controller.settingsChanged();
    await settled();
    deepEqual([page.view.isRestricted, marks(page, "ada")], [false, ["not installed"]]);
  });
});

suite("SettingsController: sidecar restarts", () => {
  test("shows unknown states without a sidecar and requests them again afterwards", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.controller.installing("agent", "ada", { phase: "unpacking" });
    play.sidecar.die();
    await play.become(BACKOFF);
    deepEqual(
      [notes(page), marks(page, "ada"), page.row("ada").progress],
      [["Symposium’s sidecar is restarting."], ["…"], undefined],
    );
    play.sidecar.restart();
    await play.become(RUNNING);
    deepEqual([notes(page), marks(page, "ada"), play.calls("agents/states").length], [[], ["not installed"], 1]);
  });

  test("requests states once for a page that waits for the sidecar", async () => {
    const play = new SettingsPlay();
    play.sidecar.die();
    await play.page();
    play.sidecar.restart();
    await play.become(RUNNING);
    equal(play.calls("agents/states").length, 1);
  });

  test("shows an interrupted action as a note until the next action", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.sidecar.hold("agents/install");
    await page.press("ada", "install");
    equal(page.row("ada").progress?.label, "Installing…");
    play.sidecar.die("It was killed.");
    play.sidecar.restart();
    await play.become(RUNNING);
    deepEqual([notes(page), sentences(page, "ada"), page.row("ada").progress], [["It was killed."], [], undefined]);
    await page.press("ada", "edit");
    deepEqual(notes(page), []);
  });

  test("shows a failed sidecar once as a note", async () => {
    const play = new SettingsPlay();
    play.sidecar.unavailable = new SidecarUnavailable("It does not start.");
    await play.become({ kind: "failed", run: 1, message: "It does not start." });
    const page = await play.page();
    await page.press("ada", "examine");
    deepEqual([notes(page), sentences(page, "ada"), play.done], [["It does not start."], [], []]);
  });

  test("shows the sidecar's error and unknown states", async () => {
    const play = new SettingsPlay();
    play.sidecar.refuse("agents/states", refused("The shell does not answer."));
    const page = await play.page();
    deepEqual([notes(page), marks(page, "ada")], [["The shell does not answer."], ["…"]]);
  });

  test("clears the error when the states are known", async () => {
    const play = new SettingsPlay();
    let isAsked = false;
    play.sidecar.reply("agents/find", () => {
      if (isAsked) return { found: {} };
      isAsked = true;
      throw refused("The shell does not answer.");
    });
    const page = await play.page();
    equal(notes(page).length, 1);
    play.controller.stateChanged();
    await settled();
    deepEqual([notes(page), marks(page, "ada")], [[], ["not installed"]]);
  });
});

suite("SettingsController: other settings", () => {
  /** A play in which all agents are installed. */
  function installed(): SettingsPlay {
    const play = new SettingsPlay();
    play.sidecar.reply("agents/states", ({ agents }) => ({
      agents: Object.fromEntries(
        agents.map(({ id }) => [id, { kind: "npx" as const, install: { kind: "installed" as const }, running: 0 }]),
      ),
      extensions: {},
    }));
    return play;
  }

  test("writes switches", async () => {
    const play = installed(),
      page = await play.page();
    await page.send(
      { type: "bypass", id: "ada", isOn: true },
      { type: "bypass", id: "gone", isOn: true },
      { type: "bypass", id: "elizacp", isOn: true },
      { type: "enable", id: "gone", isOn: false },
      { type: "move", id: "gone", to: 0 },
      { type: "enable", id: "house", isOn: false },
      { type: "modifier", isOn: true },
      { type: "updates", mode: "off" },
    );
    deepEqual(
      [
        play.settings.bypass,
        play.values["symposium.agents"],
        play.settings.extensions,
        play.settings.requireModifier,
        play.settings.updates,
      ],
      [["ada"], [{ ...ADA, bypassPermissions: true }], [], true, "off"],
    );
    await page.send({ type: "bypass", id: "ada", isOn: false });
    deepEqual(play.settings.bypass, []);
    deepEqual(
      play.done.filter(line => line.startsWith("confirm")),
      ["confirm Allow Ada to do everything without asking?"],
      "only what allows is asked about",
    );
  });

  test("does not write an unconfirmed bypass and restores the switch", async () => {
    const play = installed(),
      page = await play.page();
    play.confirms = false;
    const before = page.of("view").length;
    await page.send({ type: "bypass", id: "ada", isOn: true });
    deepEqual(
      [play.settings.bypass, page.of("view").length - before, page.view.agents.find(({ id }) => id === "ada")?.bypass],
      [[], 1, false],
    );
  });

  test("moves a dropped extension", async () => {
    const play = new SettingsPlay(),
      second = { id: "other", distribution: { local: { command: "o" } } };
    await play.write("symposium.extensions", [second, { id: "house", distribution: { local: { command: "h" } } }]);
    const page = await play.page();
    await page.send({ type: "move", id: "house", to: 0 });
    deepEqual(
      page.view.extensions.map(({ id }) => id),
      ["house", "other"],
    );
  });

  test("reveals an added row on the page that added it, after its view", async () => {
    const play = new SettingsPlay(),
      page = await play.page(),
      playedPage = await play.page(true);
    play.adds = async () => {
      await play.write("symposium.agents", [ADA, { id: "new", distribution: { local: { command: "n" } } }]);
      return "new";
    };
    await page.send({ type: "add", what: "agent" });
    await settled();
    const at = page.posted.findIndex(({ type }) => type === "reveal"),
      before = page.posted
        .slice(0, at)
        .filter(message => message.type === "view")
        .at(-1);
    deepEqual(
      [page.posted[at], playedPage.of("reveal"), before?.view.agents.some(({ id }) => id === "new")],
      [{ type: "reveal", of: "agent", id: "new" }, [], true],
    );
    play.adds = async () => undefined;
    await page.send({ type: "add", what: "extension" });
    equal(page.of("reveal").length, 1);
    play.adds = () => Promise.reject(new Error("There is no such file."));
    await page.send({ type: "add", what: "registryAgent" });
    equal(play.done.at(-1), "tell There is no such file.");
  });

  test("opens locations", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    await page.send(
      ...(["settings", "page", "walkthrough", "logs"] as const).map(what => ({ type: "open" as const, what })),
      { type: "note", action: "settingsFile" },
      { type: "note", action: "newTab" },
    );
    deepEqual(play.done, ["go settings", "go page", "go walkthrough", "go logs", "go agentsFile", "tab "]);
  });

  test("shows a VS Code notification for a failure without a row", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.writeProblem = new Error("settings.json cannot be written.");
    await page.send({ type: "updates", mode: "off" });
    play.sidecar.refuse("registry/updates", refused("The registry cannot be read."));
    await page.send({ type: "checkUpdates" });
    deepEqual(play.done, ["tell settings.json cannot be written.", "tell The registry cannot be read."]);
  });

  test("reports a registry error instead of no updates", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.sidecar.reply("registry/updates", () => ({ updates: [], problem: "There is no network." }));
    await page.send({ type: "checkUpdates" });
    equal(page.of("announce").at(-1)?.text, "There is no network.");
  });

  test("logs the page's messages", async () => {
    const play = new SettingsPlay(),
      lines: string[] = [];
    play.log.onLog(({ level, category, message }) => lines.push(`${level} ${category} ${message}`));
    await (await play.page()).send({ type: "log", level: "warn", message: "hm" });
    deepEqual(lines, ["warn webview hm"]);
  });

  test("shows the current number of outdated tabs", async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    play.outdated = 1;
    play.controller.changed();
    await settled();
    match(notes(page)[0] ?? "", /1 open tab/);
  });
});
