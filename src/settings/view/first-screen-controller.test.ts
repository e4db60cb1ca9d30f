import { deepEqual, equal } from "node:assert/strict";
import { Log } from "../../log";
import type { AgentState } from "../../protocol/agents/agent-service";
import type { ActiveFile, FirstScreen } from "../../protocol/page/first-screen";
import { FakeSidecar } from "../../testing/fake-sidecar";
import { settled } from "../../testing/settled";
import { readSettings } from "../store/settings";
import { FirstScreenController } from "./first-screen-controller";

class Fixture {
  readonly sidecar = new FakeSidecar();
  readonly posted: FirstScreen[] = [];
  readonly done: string[] = [];
  values: Record<string, unknown> = {};
  hasPage = true;
  isTrusted = true;
  isRust = false;
  activeFile: ActiveFile | undefined;
  readonly controller: FirstScreenController;

  constructor() {
    const fixture = this;
    this.sidecar.reply("agents/find", () => ({ found: { goose: "/bin/goose" } }));
    this.sidecar.reply("agents/states", ({ agents }) => ({
      agents: Object.fromEntries(
        agents.map(({ id }): [string, AgentState] => [id, { kind: "npx", install: { kind: "missing" }, running: 0 }]),
      ),
      extensions: {},
    }));
    this.sidecar.reply("agents/sizes", () => ({ sizes: { codex: 99_600_000 } }));
    this.sidecar.reply("agents/previewExtensions", ({ extensions, cwd }) => ({
      additions: extensions.map(({ id }) => ({ id, text: `text in ${cwd}` })),
    }));
    this.controller = new FirstScreenController({
      sidecar: {
        phase: { kind: "running", run: 1, node: "own", deaths: [] },
        client: () => this.sidecar.current(),
      },
      configuration: {
        get settings() {
          return readSettings(name => fixture.values[name]);
        },
        addAgent: async ({ id }) => {
          this.done.push(`add ${String(id)}`);
        },
        changeExtensions: async change => {
          this.values["symposium.extensions"] = change(this.values["symposium.extensions"]);
        },
      },
      log: new Log(),
      isTrusted: () => this.isTrusted,
      cwd: () => "/w",
      home: "/home/me",
      hasPage: () => this.hasPage,
      post: screen => this.posted.push(screen),
      hasFolder: () => true,
      activeFile: () => this.activeFile,
      isRust: async () => this.isRust,
      showText: async (title, text) => {
        this.done.push(`show ${title}: ${text}`);
      },
    });
  }

  async refresh(): Promise<void> {
    this.controller.refresh();
    await settled();
  }
  get last(): FirstScreen | undefined {
    return this.posted.at(-1);
  }
}
const idsIn = (all: readonly { readonly id: string }[] = []) => all.map(({ id }) => id);

suite("FirstScreenController", () => {
  test("posts the agents with their states, and posts equal content only after a refresh", async () => {
    const fixture = new Fixture();
    await fixture.refresh();
    deepEqual(idsIn(fixture.last?.agents), ["goose", "zed-claude-code", "codex", "gemini"]);
    equal(fixture.last?.agents[1]?.about, "install (npm)");
    const { length } = fixture.posted;
    fixture.controller.changed();
    fixture.controller.stateChanged();
    await settled();
    equal(fixture.posted.length, length);
    await fixture.refresh();
    equal(fixture.posted.length > length, true);
  });

  test("requests the size of each offered agent once, unless updates are off", async () => {
    const fixture = new Fixture();
    fixture.values["symposium.updates"] = "off";
    const sizes = () => fixture.sidecar.calls.filter(({ method }) => method === "agents/sizes");
    await fixture.refresh();
    deepEqual(sizes().length, 0);
    fixture.values["symposium.updates"] = "notify";
    await fixture.refresh();
    await fixture.refresh();
    deepEqual(
      [sizes().length, fixture.last?.agents.map(({ about }) => about)],
      [1, ["found: /bin/goose", "install (npm)", "install (npm, 100 MB)", "install (npm)"]],
    );
  });

  test("requests nothing without a page or in an untrusted workspace", async () => {
    const fixture = new Fixture();
    fixture.hasPage = false;
    await fixture.refresh();
    deepEqual([fixture.sidecar.calls, fixture.posted], [[], []]);
    fixture.hasPage = true;
    fixture.isTrusted = false;
    await fixture.refresh();
    deepEqual([fixture.sidecar.calls, fixture.last?.agents], [[], []]);
  });

  test("names Ferris and Cargo in a Rust project only", async () => {
    const fixture = new Fixture();
    await fixture.refresh();
    deepEqual(idsIn(fixture.last?.extensions), ["sparkle"]);
    fixture.isRust = true;
    await fixture.controller.projectChanged();
    await settled();
    deepEqual(idsIn(fixture.last?.extensions), ["sparkle", "ferris", "cargo"]);
  });

  test("posts the active file and the progress of an installation", async () => {
    const fixture = new Fixture();
    await fixture.refresh();
    fixture.activeFile = { path: "a.ts", problems: 1 };
    fixture.controller.installing("agent", "codex", { phase: "unpacking" });
    await settled();
    deepEqual(
      [fixture.last?.activeFile, fixture.last?.agents.find(({ id }) => id === "codex")?.about],
      [{ path: "a.ts", problems: 1 }, "installing…"],
    );
    fixture.controller.installing("agent", "codex", undefined);
    await settled();
    equal(fixture.last?.agents.find(({ id }) => id === "codex")?.isInstalling, undefined);
  });

  test("adds a detected agent to the settings, and no other", async () => {
    const fixture = new Fixture();
    await fixture.refresh();
    await fixture.controller.addFound("codex");
    await fixture.controller.addFound("unknown");
    await fixture.controller.addFound("goose");
    deepEqual(fixture.done, ["add goose"]);
  });

  test("disables extensions, and previews the enabled ones", async () => {
    const fixture = new Fixture();
    await fixture.refresh();
    await fixture.controller.preview();
    equal(fixture.done[0]?.includes("# Sparkle\n\n"), true);
    equal(fixture.done[0]?.includes("text in /w"), true);
    await fixture.controller.disable(["sparkle", "cargo"]);
    deepEqual(
      readSettings(name => fixture.values[name]).allExtensions.map(({ config, isEnabled }) => [config.id, isEnabled]),
      [
        ["sparkle", false],
        ["ferris", true],
        ["cargo", false],
      ],
    );
  });
});
