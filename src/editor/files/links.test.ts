import { deepEqual, equal } from "node:assert/strict";
import { addressOf, linkTarget, LinkNotOpened, pageAddress } from "./links";

const FOLDERS = ["/home/ada/one", "/home/ada/two"];
const of = (href: string, folders = FOLDERS) => linkTarget(href, folders);

suite("link", () => {
  test("is external for web and mail addresses", () => {
    for (const href of ["https://example.com/a?b#c", "HTTP://example.com/", "mailto:me@example.com"])
      equal(of(href).kind, "external", href);
    deepEqual(of("https://example.com/ä"), { kind: "external", url: "https://example.com/%C3%A4" });
  });

  test("accepts only web addresses for page requests, with an unchanged query", () => {
    equal(
      pageAddress("https://example.org/in?back=http%3A%2F%2F127.0.0.1%2F%3Fa%3D1%26b%3D2"),
      "https://example.org/in?back=http%3A%2F%2F127.0.0.1%2F%3Fa%3D1%26b%3D2",
    );
    equal(pageAddress("HTTP://example.org"), "http://example.org/");
    for (const url of [
      "command:workbench.action.quit",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "vscode://x/y",
      "mailto:me@example.org",
      "ftp://h/x",
      "example.org",
      "https://",
      "",
    ])
      equal(pageAddress(url), undefined, url);
  });

  test("is rejected for other schemes", () => {
    for (const href of [
      "command:workbench.action.quit",
      "javascript:alert(1)",
      "vscode://x/y",
      "data:text/html,x",
      "ftp://h/x",
      "vscode-resource:/x",
      "https://",
      "Command:x",
    ]) {
      equal(of(href).kind, "refused", href);
    }
  });

  test("is rejected with one sentence", () => {
    equal(
      LinkNotOpened.refused("the file is outside the workspace").message,
      "This link was not opened: the file is outside the workspace.",
    );
    const cause = new Error("ENOENT");
    const missing = LinkNotOpened.missing("/w/a.ts", cause);
    deepEqual(
      [missing.message, missing.cause],
      ["“/w/a.ts” could not be opened. Check that it exists and is a text file.", cause],
    );
  });

  test("opens workspace files with an optional line", () => {
    deepEqual(of("src/a.ts"), { kind: "file", path: "/home/ada/one/src/a.ts" });
    deepEqual(of("/home/ada/two/a b.ts:12:3"), { kind: "file", path: "/home/ada/two/a b.ts", line: 12, column: 3 });
    deepEqual(of("file:///home/ada/two/a%20b.ts#L7"), { kind: "file", path: "/home/ada/two/a b.ts", line: 7 });
    deepEqual(of("./x/../y.md#L0"), { kind: "file", path: "/home/ada/one/y.md", line: 1 });
    deepEqual(of("a.ts#L10-L20"), { kind: "file", path: "/home/ada/one/a.ts", line: 10, endLine: 20 });
    deepEqual(of("a.ts:7:2"), { kind: "file", path: "/home/ada/one/a.ts", line: 7, column: 2 });
    deepEqual(of("a.ts:10-20"), { kind: "file", path: "/home/ada/one/a.ts", line: 10, endLine: 20 });
    deepEqual(of("a.ts#L10-L2"), { kind: "file", path: "/home/ada/one/a.ts", line: 10 });
    deepEqual(of("a.md#section"), { kind: "file", path: "/home/ada/one/a.md" });
  });

  test("has an address for each place", () => {
    for (const place of [
      { path: "/home/ada/one/a b#c%20.ts" },
      { path: "/home/ada/one/a:3", line: 7 },
      { path: "/home/ada/one/a.ts", line: 7, column: 2 },
      { path: "/home/ada/one/a.ts", line: 7, endLine: 9 },
    ])
      deepEqual(of(addressOf(place)), { kind: "file", ...place });
  });

  test("is rejected for files outside the workspace or on other machines", () => {
    for (const href of [
      "/etc/passwd",
      "../three/x",
      "file:///home/ada/onemore/x",
      "file://host/share/x",
      "//host/x",
      "%2e%2e/%2e%2e/etc/passwd",
      "a%00b",
      "%zz",
      "",
      "#x",
      ".",
    ]) {
      equal(of(href).kind, "refused", href);
    }
    equal(of("src/a.ts", []).kind, "refused");
  });
});
