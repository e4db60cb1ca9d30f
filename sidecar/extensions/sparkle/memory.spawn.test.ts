import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { realFiles } from "../../agents/install/store/files";
import { ToolFailure } from "../tool";
import { temporaryFolder } from "../../testing/drive";
import { hurriedClock } from "../../testing/accelerated-clock";
import { program } from "../../testing/programs/programs";
import { parseInsights } from "./insights";
import { Memory } from "./memory";

const { signal } = new AbortController();
const anchor = (content: string, sparkler?: string) => ({ content, context: "", tags: [], sparkler });

class Fixture implements Disposable {
  readonly #folder = temporaryFolder();
  readonly logged: string[] = [];
  readonly home = this.#folder.path;
  readonly cwd = path.join(this.#folder.path, "work");
  constructor() {
    mkdirSync(this.cwd);
  }
  memory(sparkler?: string, cwd: string | undefined = this.cwd): Memory {
    return new Memory(this.home, cwd, sparkler, {
      clock: hurriedClock(20),
      date: () => new Date("2026-11-22T09:51:03.000Z"),
      files: realFiles,
      log: (_, message) => {
        this.logged.push(message);
      },
    });
  }
  read(file: string): string {
    return readFileSync(path.join(this.home, file), "utf8");
  }
  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.home, file)), { recursive: true });
    writeFileSync(path.join(this.home, file), text);
  }
  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
const failure = (pattern: RegExp) => (error: unknown) => error instanceof ToolFailure && pattern.test(error.message);
const sectionsOf = async (memory: Memory) =>
  (await Promise.all([...memory.sections(memory.current()).values(), ...memory.workspaceSections().values()])).filter(
    section => section !== undefined,
  );

suite("Sparkle memory", () => {
  test("writes nothing on reads", async () => {
    using kept = new Fixture();
    const memory = kept.memory();
    deepEqual(
      [await memory.sparklers(), await memory.current(), await sectionsOf(memory)],
      [[], { name: "Sparkler", folder: "sparkler" }, []],
    );
    deepEqual([readdirSync(kept.home), readdirSync(kept.cwd)], [["work"], []]);
  });

  test("returns saved entries, the newest first", async () => {
    using kept = new Fixture();
    const memory = kept.memory("Ada");
    equal(
      await memory.saveInsight(
        "PatternAnchor",
        { content: "Red first", context: "bugs", tags: ["tests"], sparkler: undefined },
        signal,
      ),
      "~/.sparkle/sparklers/ada/pattern-anchors.md",
    );
    await memory.saveInsight("PatternAnchor", anchor("Then green"), signal);
    await memory.saveInsight("CollaborationEvolution", anchor("She asks more"), signal);
    equal(
      await memory.saveInsight("WorkspaceInsight", anchor("Tests need cargo"), signal),
      ".sparkle-space/workspace-insights.md",
    );
    await memory.replaceProfile("# Mary\n\nBrief.", signal);
    await memory.replaceIdentity(undefined, "I am calm.", signal);
    deepEqual(await memory.checkpoint("Focus: the parser", "We began.", undefined, signal), [
      ".sparkle-space/working-memory.md",
      ".sparkle-space/checkpoints/2026-11-22T09-51-03-000Z.md",
    ]);
    await memory.checkpoint("Focus: the lexer", "# We went on.", undefined, signal);
    deepEqual(await sectionsOf(memory), [
      { title: "Your identity", file: "~/.sparkle/sparklers/ada/identity.md", pieces: ["# Ada\n\nI am calm."] },
      { title: "The user's profile", file: "~/.sparkle/collaborator-profile.md", pieces: ["# Mary\n\nBrief."] },
      {
        title: "Pattern anchors",
        file: "~/.sparkle/sparklers/ada/pattern-anchors.md",
        pieces: ["- Then green\n  (2026-11-22)", "- Red first\n  Context: bugs\n  (2026-11-22, tests)"],
      },
      {
        title: "How the collaboration has changed",
        file: "~/.sparkle/sparklers/ada/collaboration-evolution.md",
        pieces: ["- She asks more\n  (2026-11-22)"],
      },
      {
        title: "State of the work in this workspace",
        file: ".sparkle-space/working-memory.md",
        pieces: ["# Working memory\n\nFrom 2026-11-22T09:51:03.000Z.\n\nFocus: the lexer"],
      },
      {
        title: "The last session that was closed here",
        file: ".sparkle-space/checkpoints/2026-11-22T09-51-03-001Z.md",
        pieces: ["# Checkpoint of 2026-11-22T09:51:03.000Z\n\nBy Ada.\n\n# We went on."],
      },
      {
        title: "Facts about this workspace",
        file: ".sparkle-space/workspace-insights.md",
        pieces: ["- Tests need cargo\n  (2026-11-22)"],
      },
    ]);
    match(
      readFileSync(path.join(kept.cwd, ".sparkle-space/older/working-memory.2026-11-22T09-51-03-000Z.md"), "utf8"),
      /the parser/,
    );
    deepEqual(kept.logged, []);
  });

  test("stores no workspace notes in a session without a folder", async () => {
    using kept = new Fixture();
    for (const cwd of ["", "relative"]) {
      const memory = new Memory(kept.home, cwd, undefined, {
        clock: hurriedClock(20),
        date: () => new Date(),
        files: realFiles,
        log: () => undefined,
      });
      await rejects(memory.checkpoint("a", "b", undefined, signal), failure(/no folder/));
      await rejects(memory.saveInsight("WorkspaceInsight", anchor("x"), signal), failure(/no folder/));
      await memory.saveInsight("PatternAnchor", anchor("x"), signal);
      equal((await sectionsOf(memory)).length, 2);
    }
  });

  test("selects the configured sparkler, the only one or the first, in any spelling", async () => {
    using kept = new Fixture();
    kept.write(".sparkle/sparklers/Zed/identity.md", "# Zed the Third\n");
    equal((await kept.memory().current()).name, "Zed the Third");
    kept.write(".sparkle/sparklers/b/identity.md", "no heading");
    deepEqual(
      (await kept.memory().sparklers()).map(({ name }) => name),
      ["Zed the Third", "b"],
    );
    for (const name of ["zed", "Zed the third", "ZED!"]) equal((await kept.memory(name).current()).folder, "Zed", name);
    deepEqual(await kept.memory("Nova").current(), { name: "Nova", folder: "nova" });
    await rejects(kept.memory().whom("Nova"), failure(/Unknown sparkler “Nova”\. Sparklers: Zed the Third, b/));
  });

  test("creates and renames a sparkler with its files and keeps names unique", async () => {
    using kept = new Fixture();
    const memory = kept.memory();
    await memory.create("../Ada", signal);
    await rejects(memory.create("ada", signal), failure(/already/));
    await rejects(memory.create("🙂", signal), failure(/not a valid name/));
    await memory.saveInsight("PatternAnchor", anchor("x", "ADA"), signal);
    await memory.create("Eve", signal);
    await rejects(memory.rename("Ada", "eve", signal), failure(/already/));
    deepEqual(await memory.rename("ada", "Grace Hopper", signal), [
      { name: "Grace Hopper", folder: "grace-hopper" },
      { name: "../Ada", folder: "ada" },
    ]);
    await memory.rename("Grace Hopper", "GRACE hopper", signal);
    deepEqual(
      (await memory.sparklers()).map(({ name }) => name),
      ["Eve", "GRACE hopper"],
    );
    deepEqual(readdirSync(path.join(kept.home, ".sparkle/sparklers/grace-hopper")), [
      "identity.md",
      "older",
      "pattern-anchors.md",
    ]);
    equal(kept.read(".sparkle/sparklers/grace-hopper/identity.md"), "# GRACE hopper\n\n");
  });

  test("rejects a name used by another folder", async () => {
    using kept = new Fixture();
    kept.write(".sparkle/sparklers/ada/identity.md", "# Nova\n");
    kept.write(".sparkle/sparklers/nova/identity.md", "# Zed\n");
    await rejects(kept.memory().rename("ada", "Nova", signal), failure(/already/));
    equal(kept.read(".sparkle/sparklers/ada/identity.md"), "# Nova\n");
  });

  test("creates a profile at setup and keeps an existing one", async () => {
    using kept = new Fixture();
    deepEqual(await kept.memory().setUp("Mary", signal), {
      profile: "~/.sparkle/collaborator-profile.md",
      sparkler: { name: "Sparkler", folder: "sparkler" },
      isNew: true,
    });
    kept.write(".sparkle/collaborator-profile.md", "by hand");
    equal((await kept.memory().setUp("Eve", signal)).isNew, false);
    equal(kept.read(".sparkle/collaborator-profile.md"), "by hand");
  });

  test("keeps a copy of an unreadable profile before it starts a new one", async () => {
    using kept = new Fixture();
    kept.write(".sparkle/collaborator-profile.md", "");
    writeFileSync(path.join(kept.home, ".sparkle/collaborator-profile.md"), Buffer.from([0xff, 0xfe, 0]));
    await kept.memory().setUp("Mary", signal);
    const [older] = readdirSync(path.join(kept.home, ".sparkle/older"));
    deepEqual([...readFileSync(path.join(kept.home, ".sparkle/older", older!))], [0xff, 0xfe, 0]);
  });

  test("loses no concurrent writes of two windows", async function () {
    this.timeout(timeLimit(120_000));
    using kept = new Fixture();
    const windows = ["one", "two"].map(name => {
      const { command, args } = program("sparkle-writer", [kept.home, kept.cwd, name, "6"]);
      return spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    });
    try {
      await Promise.all(windows.map(window => once(window.stdout, "data")));
      const over = Promise.all(windows.map(window => once(window, "exit")));
      for (const window of windows) window.stdin.write("go\n");
      deepEqual(
        (await over).map(([code]) => code),
        [0, 0],
      );
    } finally {
      for (const window of windows) window.kill("SIGKILL");
    }
    const insights = [".sparkle/sparklers/sparkler/pattern-anchors.md", "work/.sparkle-space/workspace-insights.md"]
      .flatMap(file => parseInsights(kept.read(file)))
      .map(({ content }) => content);
    deepEqual(insights.sort(), ["one", "two"].flatMap(name => [0, 1, 2, 3, 4, 5].map(i => `${name} ${i}`)).sort());
    ok(!readdirSync(path.join(kept.home, ".sparkle")).includes(".lock"));
  });
});
