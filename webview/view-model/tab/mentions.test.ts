import { deepEqual, equal, notEqual } from "node:assert/strict";
import type { Mention } from "../../../src/protocol/chat/attachments";
import { mentionAt, optionOf, filterMentions } from "./mentions";

const file = (name: string, path = `/w/${name}`): Mention => ({
  name,
  about: "file",
  adds: { kind: "attachment", attachment: { kind: "file", path } },
});
/** `|` marks the caret. */
const at = (marked: string) => mentionAt(marked.replace("|", ""), marked.indexOf("|"));

suite("mentions", () => {
  test("finds an @ at the start or after white space, with the text up to the caret", () => {
    deepEqual(at("@|"), { from: 0, query: "" });
    deepEqual(at("see @src/a|b.ts now"), { from: 4, query: "src/a" });
    deepEqual(at("one\n@x|"), { from: 4, query: "x" });
    for (const none of ["|", "a@b|", "@a b|", "|@a", "@@a|", "@a\n|", "x|@"]) equal(at(none), undefined, none);
  });

  test("ignores a query above the length limit", () => {
    deepEqual(at(`${"y ".repeat(500)}@${"x".repeat(200)}|`)?.query.length, 200);
    equal(at(`@${"x".repeat(201)}|`), undefined);
  });

  test("filters older results by the letters typed since", () => {
    const mentions = [file("src/count.mjs"), file("README.md")];
    equal(filterMentions(mentions, "x", "x"), mentions);
    deepEqual(
      filterMentions(mentions, "", "SCnt").map(({ name }) => name),
      ["src/count.mjs"],
    );
    deepEqual(filterMentions(mentions, "", "tnc"), []);
  });

  test("distinguishes equal names and shows hidden characters", () => {
    notEqual(
      optionOf({
        ...file("f"),
        adds: { kind: "attachment", attachment: { kind: "symbol", name: "f", path: "/a", startLine: 1, endLine: 2 } },
      }).key,
      optionOf({
        ...file("f"),
        adds: { kind: "attachment", attachment: { kind: "symbol", name: "f", path: "/b", startLine: 1, endLine: 2 } },
      }).key,
    );
    equal(optionOf({ ...file("a\u202egnp\nx") }).text.includes("\u202e"), false);
    equal(
      optionOf({ name: "problems", about: "3 errors", adds: { kind: "context", source: { kind: "problems" } } }).about,
      "3 errors",
    );
  });
});
