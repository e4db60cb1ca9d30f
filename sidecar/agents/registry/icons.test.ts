import { deepEqual, equal, ok } from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { RegistryServer, status, type Answer } from "../../testing/install/registry-server";
import { httpGet } from "../../http/http-get";
import { Icons, MAX_ICON_BYTES, MAX_ICONS } from "./icons";

const DAY_MS = 24 * 3600 * 1000,
  NEVER = new AbortController().signal;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>`,
  ADDRESS = `data:image/svg+xml;base64,${Buffer.from(SVG).toString("base64")}`;
const sending =
  (text: string): Answer =>
  (_, response) => {
    response.end(text);
  };

suite("agent icon", () => {
  let server: RegistryServer,
    folder: ReturnType<typeof temporaryFolder>,
    clock: FakeClock,
    now = 0,
    warnings: string[] = [];
  setup(async () => {
    server = await RegistryServer.start(sending(SVG));
    folder = temporaryFolder();
    clock = new FakeClock();
    now = 100 * DAY_MS;
    warnings = [];
  });
  teardown(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
    equal(clock.waiting, 0);
  });
  const open = (): Icons =>
    new Icons({
      folder: folder.path,
      clock,
      date: () => now,
      fetch: httpGet(),
      version: "1",
      onWarning: (_, detail) => warnings.push(JSON.stringify(detail)),
    });
  const at = (...names: readonly string[]): Map<string, string> =>
    new Map(names.map(name => [name, `${server.origin}/${name}.svg`]));

  test("is fetched once, cached in memory and on disk, and refreshed after a week", async () => {
    const icons = open();
    deepEqual(await icons.of(at("a", "b"), NEVER), { a: ADDRESS, b: ADDRESS });
    await icons.of(at("a", "b"), NEVER);
    await open().of(at("a"), NEVER);
    equal(server.requests.length, 2);
    now += 8 * DAY_MS;
    await open().of(at("a"), NEVER);
    equal(server.requests.length, 3);
    now -= 3 * DAY_MS;
    await open().of(at("a"), NEVER);
    equal(server.requests.length, 4, "one from the future is of a clock that was wrong");
    server.answer = status(500);
    now += 8 * DAY_MS;
    deepEqual(await open().of(at("a"), NEVER), { a: ADDRESS }, "an old one is better than none");
    deepEqual(
      server.requests.map(({ headers }) => headers.cookie ?? headers.authorization ?? headers["user-agent"]),
      Array(5).fill("symposium/1"),
    );
  });

  test("is omitted and not requested again if invalid or unavailable", async () => {
    const icons = open();
    const answers: readonly Answer[] = [
      sending("<svg onload='x'/>"),
      status(404),
      sending("x".repeat(MAX_ICON_BYTES + 1)),
      status(302, { location: "http://example.com/" }),
      (_, response) => {
        response.writeHead(200, { "content-length": 10 }).write("x");
        response.socket?.destroySoon();
      },
    ];
    for (const [n, answer] of answers.entries()) {
      server.answer = answer;
      deepEqual(await icons.of(at(String(n)), NEVER), {});
      deepEqual(await icons.of(at(String(n)), NEVER), {});
      equal(server.requests.length, n + 1);
    }
    equal(warnings.length, answers.length);
  });

  test("is validated again when read from disk", async () => {
    await open().of(at("a"), NEVER);
    const inside = path.join(folder.path, "icons"),
      [file = ""] = readdirSync(inside),
      hostile = Buffer.from(SVG.replace("<path", "<script")).toString("base64");
    writeFileSync(
      path.join(inside, file),
      readFileSync(path.join(inside, file), "utf8").replace(Buffer.from(SVG).toString("base64"), hostile),
    );
    deepEqual(await open().of(at("a"), NEVER), { a: ADDRESS });
    equal(server.requests.length, 2);
  });

  test("is limited to eight concurrent requests and a hundred icons, each requested once", async () => {
    const waiting: (() => void)[] = [],
      names = Array.from({ length: MAX_ICONS + 20 }, (_, n) => `n${n}`);
    let maxActive = 0;
    server.answer = (_, response) => {
      waiting.push(() => response.end(SVG));
      maxActive = Math.max(maxActive, waiting.length);
    };
    const icons = open(),
      both = Promise.all([icons.of(at(...names), NEVER), icons.of(at(...names), NEVER)]);
    for (let answered = 0; answered < MAX_ICONS; ) {
      await server.asked(Math.min(answered + 8, MAX_ICONS));
      answered = server.requests.length;
      for (const proceed of waiting.splice(0)) proceed();
    }
    const [first, second] = await both;
    deepEqual(
      [Object.keys(first).length, Object.keys(second).length, server.requests.length],
      [MAX_ICONS, MAX_ICONS, MAX_ICONS],
    );
    ok(maxActive <= 8, String(maxActive));
  });

  test("is limited to eight concurrent requests with a custom fetch", async () => {
    let active = 0,
      maxActive = 0,
      proceed = (): void => undefined;
    const eight = new Promise<void>(resolve => {
      proceed = resolve;
    });
    const heldFetch = async (): Promise<Response> => {
      maxActive = Math.max(maxActive, ++active);
      // lets further requests start, if any
      if (active === 8) for (let turn = 0; turn < 200; turn++) await new Promise(resolve => setImmediate(resolve));
      if (active >= 8) proceed();
      await eight;
      active--;
      return new Response(SVG);
    };
    const icons = new Icons({
      folder: folder.path,
      clock,
      date: () => now,
      fetch: heldFetch,
      version: "1",
      onWarning: () => undefined,
    });
    equal(Object.keys(await icons.of(at(...Array.from({ length: 30 }, (_, n) => `n${n}`)), NEVER)).length, 30);
    equal(maxActive, 8);
  });

  test("stops loading when its only caller aborts, and times out after ten seconds", async () => {
    server.answer = () => undefined;
    const abort = new AbortController(),
      icons = open(),
      cancelled = icons.of(at(...Array.from({ length: 20 }, (_, n) => `n${n}`)), abort.signal);
    await server.asked(8);
    abort.abort();
    deepEqual([await cancelled, server.requests.length], [{}, 8]);
    const slow = icons.of(at("a"), NEVER);
    await server.asked(9);
    clock.advance(10_000);
    deepEqual(await slow, {});
    server.answer = sending(SVG);
    deepEqual(await icons.of(at("n1"), NEVER), { n1: ADDRESS }, "an aborted icon is requested again");
  });
});
