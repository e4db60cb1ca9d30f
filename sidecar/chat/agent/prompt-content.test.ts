import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { nameOf, type Attachment } from "../../../src/protocol/chat/attachments";
import { promptContent } from "./prompt-content";

const FILES: Readonly<Record<string, string>> = {
  "/w/a.ts": "one\ntwo\nthree\n",
  "/w/long.ts": "x".repeat(200_001),
  "/w/ä b#.ts": "ä",
};
const read = async (path: string): Promise<string> => {
  const text = FILES[path];
  if (text === undefined) throw new Error("no such file");
  return text;
};
const ALL: readonly Attachment[] = [
  { kind: "file", path: "/w/a.ts" },
  { kind: "folder", path: "/w/lib" },
  { kind: "symbol", name: "two", path: "/w/a.ts", startLine: 2, endLine: 3 },
  { kind: "selection", name: "a.ts", path: "/w/a.ts", startLine: 1, endLine: 1, text: "One!" },
  { kind: "selection", name: "Untitled-1", startLine: 3, endLine: 4, text: "x\n" },
  { kind: "problems", count: 1, text: "/w/a.ts:1:1 error no" },
  { kind: "terminal", name: "bash", text: "$ ls" },
  { kind: "transcript", text: "User: hi" },
  { kind: "image", name: "p.png", mimeType: "image/png", data: "AAAA" },
];
const CAPABILITIES = { images: true, embedded: true },
  PLAIN = { images: false, embedded: false };

suite("prompt content", () => {
  test("embeds attachments with their address and content for an agent that supports them", async () => {
    deepEqual(await promptContent("Look.", ALL, CAPABILITIES, read), {
      omitted: [],
      blocks: [
        { type: "text", text: "Look." },
        { type: "resource", resource: { uri: "file:///w/a.ts", text: "one\ntwo\nthree\n" } },
        { type: "resource_link", uri: "file:///w/lib", name: "lib/" },
        { type: "resource", resource: { uri: "file:///w/a.ts#L2-L3", text: "two\nthree" } },
        { type: "resource", resource: { uri: "file:///w/a.ts#L1", text: "One!" } },
        { type: "resource", resource: { uri: "untitled:Untitled-1#L3-L4", text: "x\n" } },
        { type: "text", text: "Problems that the editor shows:\n```\n/w/a.ts:1:1 error no\n```" },
        { type: "text", text: "From the terminal “bash”:\n```\n$ ls\n```" },
        { type: "text", text: "Transcript of this conversation, which you do not remember:\n```\nUser: hi\n```" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
      ],
    });
  });

  test("links or quotes attachments for a text-only agent and names the images", async () => {
    deepEqual(await promptContent("", ALL, PLAIN, read), {
      omitted: ["p.png"],
      blocks: [
        { type: "resource_link", uri: "file:///w/a.ts", name: "a.ts" },
        { type: "resource_link", uri: "file:///w/lib", name: "lib/" },
        { type: "resource_link", uri: "file:///w/a.ts#L2-L3", name: "two" },
        { type: "text", text: "/w/a.ts, lines 1:\n```\nOne!\n```" },
        { type: "text", text: "Untitled-1, lines 3-4:\n```\nx\n```" },
        { type: "text", text: "Problems that the editor shows:\n```\n/w/a.ts:1:1 error no\n```" },
        { type: "text", text: "From the terminal “bash”:\n```\n$ ls\n```" },
        { type: "text", text: "Transcript of this conversation, which you do not remember:\n```\nUser: hi\n```" },
      ],
    });
  });

  test("links a file that is unreadable or too long", async () => {
    const { blocks } = await promptContent(
      "",
      [
        { kind: "file", path: "/w/long.ts" },
        { kind: "file", path: "/w/gone.ts" },
        { kind: "symbol", name: "f", path: "/w/gone.ts", startLine: 1, endLine: 2 },
      ],
      CAPABILITIES,
      read,
    );
    deepEqual(blocks, [
      { type: "resource_link", uri: "file:///w/long.ts", name: "long.ts" },
      { type: "resource_link", uri: "file:///w/gone.ts", name: "gone.ts" },
      { type: "resource_link", uri: "file:///w/gone.ts#L1-L2", name: "f" },
    ]);
  });

  test("encodes any file name in the address", async () => {
    const {
      blocks: [block],
    } = await promptContent("", [{ kind: "file", path: "/w/ä b#.ts" }], CAPABILITIES, read);
    ok(block?.type === "resource");
    equal(block.resource.uri, "file:///w/%C3%A4%20b%23.ts");
  });

  test("embeds attachments within the limit and links or quotes the others", async () => {
    const many = Array.from(
      { length: 6 },
      (_, n): Attachment => ({
        kind: "selection",
        name: "s",
        path: `/w/${n}`,
        startLine: 1,
        endLine: 1,
        text: "x".repeat(200_000),
      }),
    );
    deepEqual(
      (await promptContent("", many, CAPABILITIES, read)).blocks.map(({ type }) => type),
      ["resource", "resource", "resource", "resource", "resource", "text"],
    );
  });

  test("quotes text with a fence that the text cannot close", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom("`", "\n", "a", "~") }), async text => {
        const {
          blocks: [block],
        } = await promptContent("", [{ kind: "terminal", name: "t", text }], CAPABILITIES, read);
        ok(block?.type === "text");
        const all = block.text.split("\n"),
          fence = all[1] ?? "";
        ok(/^`{3,}$/.test(fence));
        equal(all.slice(2).indexOf(fence), all.length - 3, "only the last line closes the fence");
      }),
    ));

  test("sends or names every attachment, for any capabilities", () =>
    fc.assert(
      fc.asyncProperty(
        fc.subarray([...ALL]),
        fc.boolean(),
        fc.boolean(),
        fc.string(),
        async (attachments, images, embedded, text) => {
          const { blocks, omitted } = await promptContent(text, attachments, { images, embedded }, read);
          equal(blocks.length + omitted.length, attachments.length + (text === "" ? 0 : 1));
          deepEqual(
            omitted,
            images ? [] : attachments.flatMap(attachment => (attachment.kind === "image" ? [nameOf(attachment)] : [])),
          );
          if (text !== "") deepEqual(blocks[0], { type: "text", text });
        },
      ),
    ));
});
