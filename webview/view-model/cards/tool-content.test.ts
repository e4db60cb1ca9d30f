import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ToolContent } from "../../../src/protocol/chat/chat";
import { contentPart, fileLink, textBlock } from "./tool-content";

const markdown = (content: ToolContent): string => {
  const part = contentPart(content);
  return typeof part === "string" ? part : "";
};

suite("tool content", () => {
  test("truncates output, removes terminal colours and shows hidden characters", () => {
    const block = textBlock(`\u001b[31mred\u001b[0m\u0008\n${"x\n".repeat(400)}`, "text");
    ok(block.includes("red⟦U+0008⟧") && block.includes("more lines are not shown") && !block.includes("\u001b"));
    match(textBlock("x".repeat(20_000), "text"), /\nx{16000}\n[^]*\*4000 more characters are not shown\.\*$/);
    match(textBlock("{}".repeat(4_000), "json"), /^```json/);
    match(textBlock("{}".repeat(4_001), "json"), /^```text/);
  });

  test("truncates Markdown outside questions at whole characters with closed code", () => {
    const cut = markdown({ kind: "text", text: `\`\`\`\n${"x".repeat(15_995)}😀${"y".repeat(999)}` });
    ok(cut.endsWith("\n```\n\n*1001 more characters are not shown.*"), cut.slice(-80));
    ok(!/[\ud800-\udbff](?![\udc00-\udfff])/.test(cut));
    ok(!markdown({ kind: "text", text: "x".repeat(16_000) }).includes("not shown"));
    equal(contentPart({ kind: "text", text: "x".repeat(20_000) }, "whole"), "x".repeat(20_000));
  });

  test("links a file with its line for any name", () => {
    equal(fileLink({ path: "/w/a.ts", line: 3 }), "[/w/a.ts:3](file:///w/a.ts#L3)");
    equal(fileLink({ path: "C:\\w\\a (1)#.ts" }), "[C:\\w\\a (1)#.ts](file:///C:/w/a%20%281%29%23.ts)");
    ok(!fileLink({ path: "/w/<b>]x" }).includes("<"));
  });

  test("replaces lone surrogates in a path", () => {
    equal(fileLink({ path: "/w/\ud83d" }), "[/w/\ufffd](file:///w/%EF%BF%BD)");
    equal(fileLink({ path: "/w/\ude00.ts", line: 1 }), "[/w/\ufffd.ts:1](file:///w/%EF%BF%BD.ts#L1)");
    equal(fileLink({ path: "/w/😀" }), "[/w/😀](file:///w/%F0%9F%98%80)");
  });

  test("keeps code in a block unchanged", () => {
    const code = ">".repeat(4_000);
    ok(textBlock(code, "text").includes(code));
  });

  test("renders each kind of content", () => {
    for (const content of [
      { kind: "image", mimeType: "image/tiff", data: "" },
      { kind: "resource", uri: "file:///a" },
      { kind: "resource", uri: "", name: "notes" },
      { kind: "other", what: "smell", json: "{}" },
      { kind: "terminal", terminalId: "t" },
      { kind: "audio", mimeType: "", bytes: 3 },
    ] as const)
      ok(markdown(content).length >= 5, content.kind);
  });

  test("shows images of known types with a text alternative and names others", () => {
    deepEqual(contentPart({ kind: "image", mimeType: "image/PNG", data: "AAAA" }), {
      src: "data:image/png;base64,AAAA",
      alt: "Image (image/PNG, 3 bytes)",
    });
    equal(
      contentPart({ kind: "image", mimeType: "text/html", data: "AAAA" }),
      "*Image that cannot be displayed (text\\/html, 3 bytes)*",
    );
    equal(typeof contentPart({ kind: "image", mimeType: "image/png", data: "javascript:alert(1)" }), "string");
  });

  test("links a resource by its scheme: files to the editor, pages through the host", () => {
    equal(
      markdown({ kind: "resource", uri: "file:///w/a%20(1).md", name: "a <1>" }),
      "[a &lt;1&gt;](file:///w/a%20%281%29.md)",
    );
    equal(
      markdown({
        kind: "resource",
        uri: "https://example.org/?q='(x)",
        name: "x",
        mimeType: "text/css",
        bytes: 1_200_000,
        description: "A *style*",
      }),
      "[x](https://example.org/?q=%27%28x%29)\n\nA \\*style\\*\n\n*text\\/css, 1.2 MB*",
    );
    equal(markdown({ kind: "resource", uri: "command:evil", name: "Click" }), "Click (command\\:evil)");
    ok(markdown({ kind: "resource", uri: "mem:1", text: "<b>" }).includes("&lt;b>"));
  });
});
