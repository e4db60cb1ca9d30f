import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Writable } from "node:stream";
import { temporaryFolder } from "../../testing/drive";
import { CannotWrite, openLog } from "./log";

class Stderr extends Writable {
  text = "";
  blocked = false;
  #later: (() => void)[] = [];
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.text += chunk.toString();
      done();
    };
    if (this.blocked) this.#later.push(take);
    else take();
  }
  async read(): Promise<void> {
    this.blocked = false;
    for (const take of this.#later.splice(0)) take();
    await new Promise(resolve => {
      setImmediate(resolve);
    });
  }
}
const NOON = Date.UTC(2026, 0, 2, 12),
  now = (): number => NOON;

suite("command log", () => {
  test("contains messages of the level with time, and indents several lines", () => {
    const stderr = new Stderr();
    using log = openLog({ level: "info", folder: undefined }, stderr, now);
    log.notify("error", "It failed.", "one\ntwo\n");
    log.notify("info", "It began", { pid: 1 });
    log.notify("debug", "It thinks");
    equal(
      stderr.text,
      '2026-01-02T12:00:00.000Z error It failed.\n  one\n  two\n2026-01-02T12:00:00.000Z info  It began {"pid":1}\n',
    );
  });

  test("redacts secrets and prints values that are not JSON", () => {
    const stderr = new Stderr(),
      circle: { self?: unknown } = {};
    circle.self = circle;
    using log = openLog({ level: "debug", folder: undefined }, stderr, now);
    log.notify("debug", "TOKEN=hunter2hunter2", { env: { A: "hunter2" }, text: "Bearer hunter2hunter2" });
    log.notify("debug", "x", "API_KEY=hunter2hunter2");
    log.notify("debug", "x", new Error("API_KEY=hunter2hunter2"));
    log.notify("debug", "x", circle);
    log.notify("debug", "x", 1n);
    equal(stderr.text.includes("hunter2"), false);
    equal(stderr.text.match(/….*\n/g)?.length, 4);
    ok(stderr.text.endsWith(` x "1"\n`));
    log.notify("error", "y".repeat(100_000), { text: "z".repeat(100_000) });
    ok(stderr.text.length < 20_000);
  });

  test("is also written to a private file in a new folder", () => {
    using folder = temporaryFolder();
    const stderr = new Stderr(),
      where = path.join(folder.path, "a", "b");
    using log = openLog({ level: "warn", folder: where }, stderr, now);
    log.notify("warn", "Careful.");
    const [name] = readdirSync(where);
    equal(name, `symposium-acp-agent-2026-01-02T12-00-00-000Z-${process.pid}.log`);
    equal(readFileSync(path.join(where, name), "utf8"), stderr.text);
    if (process.platform !== "win32") equal(statSync(path.join(where, name)).mode & 0o777, 0o600);
  });

  test("throws a sentence if the folder is not writable", () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, "file");
    writeFileSync(file, "");
    throws(
      () => openLog({ level: "warn", folder: file }, new Stderr(), now),
      (error: unknown) => {
        ok(error instanceof CannotWrite);
        match(error.message, /file.*cannot be written: /);
        return true;
      },
    );
  });

  test("drops lines with a note while stderr is not read", async () => {
    const stderr = new Stderr();
    using log = openLog({ level: "debug", folder: undefined }, stderr, now);
    stderr.blocked = true;
    for (let i = 0; i < 1000; i++) log.notify("debug", "x".repeat(5000));
    ok(stderr.writableLength < 1.1 * 1024 * 1024);
    await stderr.read();
    log.notify("error", "Here again.");
    const written = stderr.text.split("\n").filter(line => line.endsWith("xxx")).length;
    match(
      stderr.text,
      new RegExp(
        `Log lines were dropped because stderr was not read \\{"lines":${1000 - written}\\}\\n[^\\n]*Here again\\.\\n$`,
      ),
    );
  });

  test("continues without stderr", async () => {
    const stderr = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    using log = openLog({ level: "debug", folder: undefined }, stderr, now);
    log.notify("error", "one");
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    log.notify("error", "two");
    deepEqual(stderr.destroyed, true);
  });
});
