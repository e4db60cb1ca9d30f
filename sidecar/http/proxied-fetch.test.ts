import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { FileServer } from "../testing/install/file-server";
import { loadProxied } from "./load-proxied";
import { isExcepted, proxiedFetch, proxiesIn, type ProxyDeps } from "./proxied-fetch";

suite("proxiedFetch", () => {
  const fixture = (overrides: Partial<ProxyDeps>): ProxyDeps & { readonly texts: string[] } => {
    const texts: string[] = [];
    return {
      environment: async () => ({}),
      editor: "",
      direct: async url => {
        texts.push(`direct ${String(url)}`);
        return new Response("direct");
      },
      load: async proxies => {
        texts.push(`through ${JSON.stringify(proxies)}`);
        return async () => new Response("proxied");
      },
      log: (level, message, { proxy }) => texts.push(`${level} ${message}: ${proxy}`),
      ...overrides,
      texts,
    };
  };

  test("fetches directly without a proxy and loads no proxy code", async () => {
    const deps = fixture({});
    assert.equal(await (await proxiedFetch(deps)("https://example.org/a")).text(), "direct");
    assert.deepEqual(deps.texts, ["direct https://example.org/a"]);
  });

  test("uses the login shell's proxy, loaded once and logged without the password", async () => {
    const deps = fixture({
      environment: async () => ({ HTTPS_PROXY: "http://me:secret@proxy.example:3128", NO_PROXY: "intern.example" }),
      editor: "http://other.example",
    });
    const fetch = proxiedFetch(deps);
    assert.deepEqual(
      await Promise.all(["https://a.example", "https://b.example"].map(async url => (await fetch(url)).text())),
      ["proxied", "proxied"],
    );
    assert.deepEqual(deps.texts, [
      "info Registry and downloads go through a proxy: proxy.example:3128",
      'through {"http":"http://other.example","https":"http://me:secret@proxy.example:3128","not":"intern.example"}',
    ]);
  });

  test("never uses a proxy for localhost", async () => {
    const deps = fixture({ editor: "http://proxy.example:3128" });
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) await proxiedFetch(deps)(`http://${host}:1/x`);
    assert.ok(
      deps.texts.every(line => line.startsWith("direct")),
      deps.texts.join(),
    );
  });

  test("ignores an invalid proxy address and logs at most its host", async () => {
    for (const address of ["proxy.example:3128 or so", "socks5://proxy.example", "http://me:50%off@proxy.example"]) {
      const deps = fixture({ environment: async () => ({ https_proxy: address }) });
      assert.equal(await (await proxiedFetch(deps)("https://example.org")).text(), "direct");
      assert.match(deps.texts[0] ?? "", /^warn .* is ignored: (\?|proxy\.example)$/);
    }
  });

  test("uses the next proxy if the first is invalid, and fetches directly if the proxy code fails", async () => {
    const next = fixture({
      environment: async () => ({ HTTPS_PROXY: "http://good.example", ALL_PROXY: "socks5://proxy.example" }),
    });
    assert.equal(await (await proxiedFetch(next)("https://example.org")).text(), "proxied");
    const failing = fixture({ editor: "http://proxy.example", load: async () => Promise.reject(new Error("no")) });
    assert.equal(await (await proxiedFetch(failing)("https://example.org")).text(), "direct");
    assert.match(failing.texts.join(), /warn The proxy is unusable; downloads do not use it: proxy\.example/);
  });

  test("prefers lower-case variables and falls back to ALL_PROXY", () => {
    assert.deepEqual(
      proxiesIn(
        {
          https_proxy: "http://small",
          HTTPS_PROXY: "http://CAPITAL",
          http_proxy: " ",
          ALL_PROXY: "http://all",
          no_proxy: "*",
        },
        "http://editor",
      ),
      { proxies: { http: "http://all", https: "http://small", not: "*" }, wrong: [] },
    );
    assert.deepEqual(proxiesIn({}, "http://editor"), {
      proxies: { http: "http://editor", https: "http://editor", not: "" },
      wrong: [],
    });
    assert.deepEqual(proxiesIn({ NO_PROXY: "a", HTTP_PROXY: "?" }, ""), { proxies: { not: "a" }, wrong: ["?"] });
  });

  test("fetches hosts in NO_PROXY directly", async () => {
    const deps = fixture({
        environment: async () => ({ HTTPS_PROXY: "http://proxy.example", NO_PROXY: "intern.example" }),
      }),
      fetch = proxiedFetch(deps);
    assert.deepEqual(
      await Promise.all(
        ["https://intern.example/x", "https://extern.example/x"].map(async url => (await fetch(url)).text()),
      ),
      ["direct", "proxied"],
    );
    const cases: readonly [url: string, not: string, is: boolean][] = [
      ["https://a.example", "a.example", true],
      ["https://x.a.example", "a.example", true],
      ["https://x.a.example", ".a.example", true],
      ["https://x.a.example", "*.a.example", true],
      ["https://A.Example./", "b.example, a.example", true],
      ["https://a.example", "a.example:443", true],
      ["http://a.example:81", "b a.example:81", true],
      ["https://anything.example", "*", true],
      ["https://ba.example", "a.example", false],
      ["https://a.example", "a.example:80", false],
      ["https://a.example", "", false],
      ["https://a.example", " , ", false],
      ["https://a.example", "example.org", false],
    ];
    assert.deepEqual(
      cases.map(([url, not]) => isExcepted(new URL(url), not)),
      cases.map(([, , is]) => is),
    );
  });

  suite("running proxy", () => {
    let files: FileServer, proxy: Server;
    const connects: string[] = [];
    suiteSetup(async () => {
      files = await FileServer.start();
      proxy = createServer().on("connect", (request, socket) => {
        connects.push(`${request.url ?? ""} ${request.headers["proxy-authorization"] ?? "nobody"}`);
        const upstream = connect(Number(new URL(files.origin).port), "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          socket.pipe(upstream).pipe(socket);
        });
        upstream.on("error", () => socket.destroy());
        socket.on("error", () => upstream.destroy());
      });
      await new Promise<void>(resolve => {
        proxy.listen(0, "127.0.0.1", resolve);
      });
    });
    suiteTeardown(async () => {
      await files[Symbol.asyncDispose]();
      await new Promise<void>(resolve => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      });
    });

    test("rejects with the status if it refuses to connect", async () => {
      for (const statusLine of ["302 Found\r\nLocation: https://evil.example/", "503 No", "407 Who are you"]) {
        const refusing = createServer().on("connect", (_request, socket) =>
          socket.end(`HTTP/1.1 ${statusLine}\r\n\r\n`),
        );
        await new Promise<void>(resolve => {
          refusing.listen(0, "127.0.0.1", resolve);
        });
        const address = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
        await assert.rejects(
          loadProxied({ https: address, not: "" })("https://archives.example/"),
          (error: unknown) =>
            error instanceof TypeError &&
            error.cause instanceof Error &&
            error.cause.message === `The proxy does not connect to archives.example: status ${statusLine.slice(0, 3)}.`,
        );
        await new Promise(resolve => refusing.close(resolve));
      }
    });

    test("forwards ranges and credentials and returns the whole file", async () => {
      files.serve("/archive", { content: "0123456789", etag: '"1"' });
      const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const fetch = loadProxied({ http: `http://me:secret@${address}`, https: `http://me:secret@${address}`, not: "" });
      const response = await fetch("http://archives.example/archive", {
        headers: { range: "bytes=4-", connection: "close" },
        redirect: "manual",
        credentials: "omit",
      });
      assert.ok(response instanceof Response); // callers detect a response this way
      assert.deepEqual([response.status, await response.text(), response.headers.get("etag")], [206, "456789", '"1"']);
      assert.deepEqual(connects, [`archives.example:80 Basic ${Buffer.from("me:secret").toString("base64")}`]);
    });
  });
});
