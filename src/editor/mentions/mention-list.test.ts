import { deepEqual, equal, ok } from "node:assert/strict";
import type { Mention } from "../../protocol/chat/attachments";
import { FileList, type Listed } from "./file-list";
import { MAX_MENTIONS, mentionsOf, type Named, type Opened } from "./mention-list";
import { target } from "./mention-match";

const offer = (kind: "selection" | "problems" | "terminal"): Mention => ({
  name: kind,
  about: "…",
  adds: { kind: "context", source: { kind } },
});
const OFFERS = [offer("selection"), offer("problems"), offer("terminal")];

function listed(paths: readonly string[], root = "/w", prefix = ""): readonly Listed[] {
  const list = new FileList(root, prefix);
  for (const path of paths) list.add(path);
  return [...list.all()];
}
const opened = (path: string, isOpen: boolean, root = "/w"): Opened => ({
  listed: { kind: "file", root, path, target: target(path) },
  isOpen,
});
const symbol = (name: string): Named => ({
  kind: "symbol",
  name,
  what: "class",
  path: "/w/src/a.ts",
  where: "src/a.ts",
  startLine: 3,
  endLine: 9,
  target: target(name),
});
const names = (mentions: readonly Mention[]) => mentions.map(({ name }) => name);
const SOURCES = {
  offers: OFFERS,
  files: listed(["src/main.ts", "src/deep/selector.ts", "readme.md", "old.ts"]),
  opened: [opened("src/main.ts", true), opened("old.ts", false)],
  symbols: [],
};

suite("mention list", () => {
  test("lists editor content, open and recent files, then files and folders for an empty query", () =>
    deepEqual(
      mentionsOf("", SOURCES).map(({ name, about }) => `${name} ${about}`),
      [
        "selection …",
        "problems …",
        "terminal …",
        "src/main.ts open editor",
        "old.ts recently opened",
        "readme.md file",
        "src/deep/selector.ts file",
        "src/ folder",
        "src/deep/ folder",
      ],
    ));

  test("filters by the query", () => {
    deepEqual(names(mentionsOf("sel", SOURCES)), ["selection", "src/deep/selector.ts"]);
    deepEqual(names(mentionsOf("SEL", SOURCES)), ["selection", "src/deep/selector.ts"]);
    deepEqual(names(mentionsOf("selector", SOURCES)), ["src/deep/selector.ts"]);
    deepEqual(names(mentionsOf("deep", SOURCES)), ["src/deep/", "src/deep/selector.ts"]);
    deepEqual(names(mentionsOf("nothing", SOURCES)), []);
  });

  test("maps entries to their files and folders on disk", () => {
    const files = listed(["src/a.ts"], "/w/web", "web/");
    deepEqual(mentionsOf("web", { offers: [], files, opened: [], symbols: [] }), [
      {
        name: "web/src/a.ts",
        about: "file",
        adds: { kind: "attachment", attachment: { kind: "file", path: "/w/web/src/a.ts" } },
      },
      {
        name: "web/src/",
        about: "folder",
        adds: { kind: "attachment", attachment: { kind: "folder", path: "/w/web/src" } },
      },
    ]);
  });

  test("lists an open file once, also outside the workspace", () => {
    const mentions = mentionsOf("", {
      ...SOURCES,
      offers: [],
      opened: [opened("/etc/hosts", true, ""), opened("readme.md", true)],
    });
    deepEqual(names(mentions).slice(0, 3), ["/etc/hosts", "readme.md", "old.ts"]);
    deepEqual(mentions[0]?.adds, { kind: "attachment", attachment: { kind: "file", path: "/etc/hosts" } });
    equal(names(mentions).filter(name => name === "readme.md").length, 1);
  });

  test("lists a symbol with its kind and location, behind equally matching files", () => {
    const mentions = mentionsOf("main", { ...SOURCES, symbols: [symbol("Main"), symbol("mainLoop")] });
    deepEqual(names(mentions), ["Main", "src/main.ts", "mainLoop"]);
    deepEqual(mentions[0], {
      name: "Main",
      about: "class · src/a.ts:3",
      adds: {
        kind: "attachment",
        attachment: { kind: "symbol", name: "Main", path: "/w/src/a.ts", startLine: 3, endLine: 9 },
      },
    });
  });

  test("limits the results of 16,000 files and includes open ones", () => {
    const files = listed(Array.from({ length: 16_000 }, (_, i) => `packages/p${i % 100}/file-${i}.ts`));
    const mentions = mentionsOf("file", {
      offers: OFFERS,
      files,
      opened: [opened("packages/p99/file-15999.ts", true)],
      symbols: [],
    });
    deepEqual([mentions.length, mentions[0]?.name], [MAX_MENTIONS, "packages/p99/file-15999.ts"]);
    ok(mentionsOf("", { offers: OFFERS, files, opened: [], symbols: [] }).length === MAX_MENTIONS);
  });
});
