import { deepEqual, equal, match } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { ConfigFile } from "./config-file";

suite("ConfigFile", () => {
  const inFolder = async (work: (file: ConfigFile, folder: string) => Promise<void>): Promise<void> => {
    using folder = temporaryFolder();
    await work(new ConfigFile(path.join(folder.path, ".symposium", "config.jsonc")), folder.path);
  };

  test("is created once by many programs at once, and is never replaced", () =>
    inFolder(async (file, folder) => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => file.create(`{"agent":"agent-${i}"}`)));
      const winners = outcomes.flatMap(({ kind }, i) => (kind === "created" ? [i] : []));
      equal(winners.length, 1);
      equal(outcomes.filter(({ kind }) => kind === "exists").length, 19);
      equal(readFileSync(file.path, "utf8"), `{"agent":"agent-${winners[0]}"}`);
      deepEqual(readdirSync(path.join(folder, ".symposium")), ["config.jsonc"]);
      deepEqual(await file.create("{}"), { kind: "exists", file: file.path });
    }));

  test("names the missing folder", () =>
    inFolder(async (file, folder) => {
      rmSync(folder, { recursive: true });
      const outcome = await file.create("{}");
      match(
        outcome.kind === "failed" ? outcome.why : "",
        /config\.jsonc cannot be created: the folder that would contain/,
      );
    }));

  test("is read as absent, as a configuration or as a problem with its position", () =>
    inFolder(async file => {
      deepEqual(await file.read(), { kind: "absent" });
      await file.create(`{"agent":"x"}`);
      equal((await file.read()).kind, "config");
      writeFileSync(file.path, `{\n"agent":1}`);
      deepEqual(await file.read(), {
        kind: "problem",
        message: `${file.path}:2:9: “agent” must be text: the command that starts the agent.`,
      });
      writeFileSync(file.path, Buffer.from([0xff, 0xfe, 0x7b]));
      deepEqual(await file.read(), {
        kind: "problem",
        message: `${file.path}: The file cannot be read: it is not UTF-8 text.`,
      });
    }));

  test("detects another text and a deleted file, and ignores a file that cannot be read", () =>
    inFolder(async file => {
      const text = `{"agent":"x"}`;
      await file.create(text);
      equal(file.isChanged(text), false);
      writeFileSync(file.path, `${text}\n`);
      equal(file.isChanged(text), true);
      rmSync(file.path);
      equal(file.isChanged(text), true);
      mkdirSync(file.path);
      equal(file.isChanged(text), false);
    }));
});
