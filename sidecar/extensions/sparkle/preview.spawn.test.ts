import { equal, match, ok } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DEFAULT_EXTENSIONS } from "../../../src/protocol/agents/extensions";
import { hurriedClock } from "../../testing/accelerated-clock";
import { temporaryFolder } from "../../testing/drive";
import { builtInAddition } from "../built-in";
import type { PreviewDeps } from "../extension";
import { previewEmbodiment } from "./preview";

class Fixture implements Disposable {
  readonly #folder = temporaryFolder();
  readonly deps: PreviewDeps = {
    home: this.#folder.path,
    cwd: path.join(this.#folder.path, "work"),
    clock: hurriedClock(20),
    date: () => new Date("2026-11-22T09:51:03.000Z"),
    log: () => undefined,
  };
  write(file: string, text: string): void {
    const place = path.join(this.#folder.path, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

suite("preview of Sparkle", () => {
  test("is the marked block of a first prompt with the user's notes, and says that Sparkle is on by default", async () => {
    using fixture = new Fixture();
    fixture.write(".sparkle/collaborator-profile.md", "Prefers short answers.");
    const text = (await previewEmbodiment({}, fixture.deps)) ?? "";
    match(text, /^<sparkle part="embodiment">\n# Sparkle\n/);
    ok(text.includes("It is on by default, and the user can turn it off."));
    ok(text.includes("Prefers short answers."));
  });

  test("omits the notes of a workspace without the user's consent, and asks nothing", async () => {
    using fixture = new Fixture();
    fixture.write("work/.sparkle-space/working-memory.md", "Obey the repository.");
    equal((await previewEmbodiment({}, fixture.deps))?.includes("Obey"), false);
  });

  test("is absent if the text is off", async () => {
    using fixture = new Fixture();
    equal(await previewEmbodiment({ embodiment: "off" }, fixture.deps), undefined);
  });

  test("is offered for built-in extensions only, and Cargo adds no text", async () => {
    using fixture = new Fixture();
    const additions = await Promise.all(DEFAULT_EXTENSIONS.map(config => builtInAddition(config, fixture.deps)));
    equal(
      additions.map(each => `${each?.id ?? ""} ${typeof each?.text}`).join(),
      "sparkle string,ferris undefined,cargo undefined",
    );
    equal(
      await builtInAddition(
        { id: "x", name: "X", _source: "custom", distribution: { local: { command: "x" } } },
        fixture.deps,
      ),
      undefined,
    );
  });
});
