import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { addressIn, wrongAddress } from "./server-address";

const URL_HERE = "https://example.com/mcp",
  http = { url: URL_HERE };

suite("MCP server address", () => {
  for (const url of [URL_HERE, "http://127.0.0.1:8080/mcp", "HTTPS://example.com", " https://example.com/mcp?team=a "])
    test(`accepts ${url}`, () =>
      equal(wrongAddress({ url, headers: { Authorization: "Bearer x", "X-Key": "" } }), undefined));

  for (const url of [
    "example.com/mcp",
    "/mcp",
    "ftp://hunter2.example.com",
    "acp:hunter2",
    "file:///hunter2",
    "https://",
    "https://exa mple.com/hunter2",
    "javascript:hunter2",
  ])
    test(`rejects ${url} with a hint`, () => {
      match(
        wrongAddress({ url }) ?? "",
        /^its URL is invalid: enter a complete URL .* such as https:\/\/example\.com\/mcp$/,
      );
      doesNotMatch(wrongAddress({ url }) ?? "", /hunter2/);
    });

  test("rejects a password in the address", () => {
    for (const url of ["https://me:hunter2@example.com", "https://hunter2@example.com/mcp"])
      match(wrongAddress({ url }) ?? "", /^its URL contains a user name or a password: use “headers” for them$/);
  });

  const HEADERS: readonly (readonly [headers: Readonly<Record<string, string>>, why: RegExp])[] = [
    [{ "": "x" }, /an invalid name/],
    [{ "Bearer hunter2": "" }, /an invalid name/],
    [{ "X:hunter2": "" }, /an invalid name/],
    [{ "Content-Type": "hunter2" }, /contain Content-Type, which must not be set: remove it/],
    [{ "MCP-Session-Id": "hunter2" }, /contain MCP-Session-Id,/],
    [{ Good: "1", "X-Key": "hunter2\r\nHost: evil" }, /^the value of its header X-Key contains a line break/],
    [{ "X-Key": "hunter2…" }, /^the value of its header X-Key/],
    [{ "X-Key": "hunter2\0" }, /^the value of its header X-Key/],
  ];
  for (const [headers, why] of HEADERS)
    test(`rejects ${JSON.stringify(headers)} without repeating the value`, () => {
      match(wrongAddress({ url: URL_HERE, headers }) ?? "", why);
      doesNotMatch(wrongAddress({ url: URL_HERE, headers }) ?? "", /hunter2/);
    });

  test("accepts only headers that can be sent", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), { maxKeys: 2 }), headers => {
        if (wrongAddress({ url: URL_HERE, headers }) === undefined) new Headers(headers);
      }),
    );
  });

  test("is used unless the user configured a program", () => {
    deepEqual(
      [
        addressIn({ http }),
        addressIn({ http, npx: { package: "x" } }),
        addressIn({ http, local: { command: "x" } }),
        addressIn({ http, executable: { path: "/x" } }),
        addressIn({ npx: { package: "x" } }),
      ],
      [http, http, undefined, undefined, undefined],
    );
  });
});
