import { deepEqual, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { documentAddress } from "./document-address";

suite("extension.json address", () => {
  const RAW = "https://raw.githubusercontent.com/o/r",
    ID = "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    GIST = `https://gist.githubusercontent.com/o/${ID}`;
  const table: readonly [from: string, to: string][] = [
    ["https://example.com/extension.json", "https://example.com/extension.json"],
    ["  https://example.com/x.json?a=1#b \n", "https://example.com/x.json?a=1#b"],
    ["https://github.com/o/r", `${RAW}/HEAD/extension.json`],
    ["https://github.com/o/r/", `${RAW}/HEAD/extension.json`],
    ["https://www.github.com/o/r.git", `${RAW}/HEAD/extension.json`],
    ["https://github.com/o/r/blob/main/extension.json", `${RAW}/main/extension.json`],
    ["https://github.com/o/r/blob/a/b/c%20d/x.json?plain=1#L3", `${RAW}/a/b/c%20d/x.json`],
    ["https://github.com/o/r/raw/v1.0/x.json", `${RAW}/v1.0/x.json`],
    ["https://github.com/o/r/tree/main", `${RAW}/main/extension.json`],
    ["https://github.com/o/r/tree/main/tools/mine", `${RAW}/main/tools/mine/extension.json`],
    [
      "https://github.com/o/r/releases/latest/download/extension.json",
      "https://github.com/o/r/releases/latest/download/extension.json",
    ],
    ["https://raw.githubusercontent.com/o/r/main/x.json", `${RAW}/main/x.json`],
    ["https://github.com/o/r/blame/main/x.json", `${RAW}/main/x.json`],
    ["https://github.com/o/r/edit/main/x.json", `${RAW}/main/x.json`],
    ["https://github.com/o/r/raw/refs/heads/main/x.json", `${RAW}/refs/heads/main/x.json`],
    ["https://github.com/o/r/tree/main/tools/x.json", `${RAW}/main/tools/x.json`],
    ["https://github.com/o/r/tree/x.json", `${RAW}/x.json/extension.json`],
    [`https://gist.github.com/o/${ID}`, `${GIST}/raw`],
    [`https://gist.github.com/o/${ID}/raw/ff/extension.json`, `${GIST}/raw/ff/extension.json`],
    [`https://gist.github.com/o/${ID}#file-extension-json`, `${GIST}/raw/extension.json`],
    [`https://gist.github.com/o/${ID}#file-readme-md`, `${GIST}/raw`],
    ["https://gist.github.com/cafe/123456", "https://gist.githubusercontent.com/cafe/123456/raw"],
    [`https://gist.github.com/${ID}`, `https://gist.github.com/${ID}/raw`],
    [
      "https://gist.githubusercontent.com/o/x/raw/extension.json",
      "https://gist.githubusercontent.com/o/x/raw/extension.json",
    ],
    ["http://127.0.0.1:8080/x.json", "http://127.0.0.1:8080/x.json"],
  ];
  for (const [from, to] of table)
    test(from.trim(), () => deepEqual(documentAddress(from, "extension.json"), { url: to }));

  const wrong: readonly [from: string, message: RegExp][] = [
    ["", /not an https URL/],
    ["extension.json", /not an https URL/],
    ["ftp://example.com/x", /not an https URL/],
    ["https://me:pw@example.com/x", /not an https URL/],
    ["http://example.com/x.json", /not https/],
    ["https://github.com/o", /not a GitHub repository/],
    ["https://github.com/", /not a GitHub repository/],
    ["https://github.com/o/r/issues/3", /shows no file/],
    ["https://github.com/o/r/blob/main", /shows no file/],
    ["https://gist.github.com/o", /not a gist/],
    ["https://gist.github.com/o/starred", /not a gist/],
    [`https://gist.github.com/o/${ID}/0123456789abcdef0123456789abcdef01234567`, /earlier version/],
    ["https://github.com/o/r/releases/tag/v1", /shows no file/],
    ["https://github.com/o/r/blame/main", /shows no file/],
  ];
  for (const [from, message] of wrong)
    test(`is rejected: “${from}”`, () => {
      const found = documentAddress(from, "extension.json");
      match("wrong" in found ? found.wrong : "", message);
    });

  test("is an https URL or a sentence for any input", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.array(fc.string()).map(parts => `https://github.com/${parts.join("/")}`),
        ),
        text => {
          const found = documentAddress(text, "extension.json", { loopback: false });
          if ("wrong" in found) match(found.wrong, /^[A-Z].*\.$/);
          else ok(new URL(found.url).protocol === "https:" && !new URL(found.url).username);
        },
      ),
    ));
});
