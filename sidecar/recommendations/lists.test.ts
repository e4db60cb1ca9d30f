import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { httpGet } from "../http/http-get";
import { temporaryFolder } from "../testing/drive";
import { RegistryServer, serving, status } from "../testing/install/registry-server";
import { Lists, type ListsDeps, type WantedLists } from "./lists";
import { parseList, type Rule } from "./list";

const DAY = 24 * 60 * 60 * 1_000;
const listOf = (...crates: readonly string[]): string =>
  crates.map(crate => `[[recommendation]]\nsource.crate = "${crate}"\n`).join("\n");
const cratesIn = (rules: readonly Rule[]) =>
  rules.map(({ source, by }) => [JSON.stringify(Object.values(source)[0]), by.kind].join(" of "));

suite("lists of recommendations", () => {
  let folder: ReturnType<typeof temporaryFolder>, server: RegistryServer, clock: FakeClock, now: number;
  setup(async () => {
    folder = temporaryFolder();
    server = await RegistryServer.start(status(404));
    clock = new FakeClock();
    now = 10 * DAY;
  });
  teardown(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
    equal(clock.waiting, 0);
  });
  const at = (name: string): string => path.join(folder.path, name);
  const write = (name: string, text: string): string => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
    return at(name);
  };
  const lists = (change: Partial<ListsDeps> = {}): Lists =>
    new Lists({
      home: at("home"),
      cache: at("cache"),
      shipped: listOf("shipped"),
      centralUrl: server.url,
      isRestricted: false,
      clock,
      date: () => now,
      fetch: httpGet(),
      version: "1",
      log: () => undefined,
      ...change,
    });
  const read = async (wanted: Partial<WantedLists> = {}, from = lists()) => {
    const known = await from.read({ folders: [at("w")], lists: [], fetch: "no", isRust: true, ...wanted });
    return { crates: cratesIn([...known.highPrecedence, ...known.lowPrecedence]), problems: known.problems, known };
  };

  test("have the precedence user, Symposium, workspace", async () => {
    write("home/.symposium/recommendations.toml", listOf("mine"));
    write("w/.symposium/recommendations.toml", listOf("theirs"));
    write("home/lists/a.toml", listOf("listed"));
    const absolute = write("b.toml", listOf("absolute"));
    const { crates, problems, known } = await read({ lists: ["~/lists/a.toml", absolute] });
    deepEqual(crates, [
      '"mine" of user',
      '"listed" of user',
      '"absolute" of user',
      '"shipped" of symposium',
      '"theirs" of workspace',
    ]);
    deepEqual(problems, []);
    deepEqual(cratesIn(known.lowPrecedence), ['"theirs" of workspace']);
    deepEqual(known.highPrecedence[1]?.by, { kind: "user", list: path.join("~", "lists", "a.toml") });
    ok(known.isKnown({ kind: "workspace", folder: at("w") }));
    ok(!known.isKnown({ kind: "workspace", folder: at("other/w") }));
  });

  test("are empty without files, and known", async () => {
    const { crates, problems, known } = await read();
    deepEqual([crates, problems], [['"shipped" of symposium'], []]);
    ok(known.isKnown({ kind: "user", list: path.join("~", ".symposium", "recommendations.toml") }));
  });

  test("report a missing or unusable list of the user by its name, and keep the others", async () => {
    write("home/.symposium/recommendations.toml", "[[recommendation]]\nsource.crate = 3\n");
    write("w/.symposium/recommendations.toml", "not TOML");
    mkdirSync(at("home/folder"));
    write("home/large.toml", "#".repeat(300_000));
    const { crates, problems } = await read({
      lists: ["missing.toml", "folder", "large.toml", "http://example.com/a"],
    });
    deepEqual(crates, ['"shipped" of symposium']);
    deepEqual(
      problems.map(problem => problem.replaceAll(path.sep, "/")),
      [
        "~/.symposium/recommendations.toml, line 1: “source.crate” is not the name of a crate. The recommendation is ignored.",
        "~/missing.toml of symposium.recommendations does not exist.",
        "~/folder is ignored. It is not a file.",
        "~/large.toml is ignored. It is larger than 256 kilobytes.",
        "http://example.com/a of symposium.recommendations is ignored. The URL is not https.",
        ...problems.slice(-1).map(problem => problem.replaceAll(path.sep, "/")),
      ],
    );
    match(String(problems.at(-1)), /^w.\.symposium.recommendations\.toml, line 1: This is not valid TOML: /);
  });

  test("are limited in number, and the others are reported", async () => {
    const { problems, known } = await read({
      lists: Array.from({ length: 23 }, (_, i) => write(`home/${i}.toml`, "")),
    });
    deepEqual(problems, ["Only the first 20 of 23 lists in symposium.recommendations are used."]);
    ok(known.isKnown({ kind: "user", list: path.join("~", "19.toml") }));
    ok(!known.isKnown({ kind: "user", list: path.join("~", "20.toml") }));
  });

  test("do not contain the file of an untrusted workspace, or one outside the workspace", async () => {
    write("w/.symposium/recommendations.toml", listOf("theirs"));
    deepEqual((await read({}, lists({ isRestricted: true }))).crates, ['"shipped" of symposium']);
    const outside = write("outside.toml", listOf("outside"));
    mkdirSync(at("v/.symposium"), { recursive: true });
    symlinkSync(outside, at("v/.symposium/recommendations.toml"));
    const { crates, problems } = await read({ folders: [at("v")] });
    deepEqual(crates, ['"shipped" of symposium']);
    match(problems.join(), /is ignored, because it is outside the workspace/);
  });

  test("download Symposium's list once a day, for Rust projects only", async () => {
    server.answer = serving(listOf("newer"));
    const from = lists();
    deepEqual((await read({ fetch: "no" }, from)).crates, ['"shipped" of symposium']);
    deepEqual((await read({ fetch: "ifOld", isRust: false }, from)).crates, ['"shipped" of symposium']);
    equal(server.requests.length, 0);
    deepEqual((await read({ fetch: "ifOld" }, from)).crates, ['"newer" of symposium']);
    now += DAY - 1;
    await read({ fetch: "ifOld" }, from);
    await read({ fetch: "ifOld" });
    equal(server.requests.length, 1);
    now += 1;
    await read({ fetch: "ifOld" });
    equal(server.requests.length, 2);
    await read({ fetch: "refresh" });
    equal(server.requests.length, 3);
    deepEqual((await read({ fetch: "no" })).crates, ['"newer" of symposium']);
  });

  test("use the list of a new version of Symposium before the copy of an earlier version", async () => {
    server.answer = serving(listOf("newer"));
    await read({ fetch: "refresh" });
    deepEqual((await read({}, lists({ version: "2", shipped: listOf("newest") }))).crates, ['"newest" of symposium']);
  });

  test("stay available offline, and are not replaced by an invalid document", async () => {
    server.answer = serving(listOf("newer"));
    await read({ fetch: "refresh" });
    for (const answer of [status(500), serving("<html>", '"2"'), serving('a = "b"', '"3"'), serving("", '"4"')]) {
      server.answer = answer;
      const { crates, problems } = await read({ fetch: "refresh" });
      deepEqual([crates, problems], [['"newer" of symposium'], []]);
    }
    deepEqual((await read({ fetch: "no" })).crates, ['"newer" of symposium']);
  });

  test("are not requested again within an hour after a failure", async () => {
    const from = lists();
    await read({ fetch: "ifOld" }, from);
    await read({ fetch: "ifOld" }, from);
    equal(server.requests.length, 1);
    now += 60 * 60 * 1_000;
    await read({ fetch: "ifOld" }, from);
    equal(server.requests.length, 2);
  });

  test("download the user's URLs, and report a failure", async () => {
    server.answer = serving(listOf("ours"));
    const url = server.url,
      from = lists({ centralUrl: "https://127.0.0.1:1/none" });
    deepEqual((await read({ lists: [url], fetch: "no" }, from)).crates, ['"shipped" of symposium']);
    const { crates, problems } = await read({ lists: [url], fetch: "ifOld", isRust: false }, from);
    deepEqual([crates, problems], [['"ours" of user', '"shipped" of symposium'], []]);
    server.answer = status(503);
    const failed = await read({ lists: [url], fetch: "refresh", isRust: false }, from);
    deepEqual(failed.crates, ['"ours" of user', '"shipped" of symposium']);
    match(
      failed.problems.join(),
      /^The list at 127\.0\.0\.1:\d+ could not be downloaded\. The server returned status 503\.$/,
    );
    for (const fetch of ["no", "ifOld"] as const)
      deepEqual((await read({ lists: [url], fetch, isRust: false }, from)).problems, failed.problems);
    server.answer = serving("# No recommendations\n");
    deepEqual((await read({ lists: [url], fetch: "refresh", isRust: false }, from)).problems, []);
  });

  test("that Symposium contains are valid", () =>
    deepEqual(parseList(readFileSync("recommendations.toml", "utf8"), "list", { kind: "symposium" }).problems, []));
});
