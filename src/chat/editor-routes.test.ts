import { deepEqual } from "node:assert/strict";
import { begunWith } from "../testing/chat-controller-fixture";

suite("routes to the editor", () => {
  test("use the code of an answer with the folder of its session", async () => {
    const fixture = await begunWith();
    await fixture.send(
      { type: "insertCode", tabId: "t", code: "a" },
      { type: "applyCode", tabId: "t", code: "b", named: ["x.ts"], mentioned: ["y.ts"] },
      { type: "openSymbol", tabId: "t", name: "parseFoo" },
    );
    deepEqual(fixture.done, ["insert a", "propose b x.ts y.ts /w", "symbol parseFoo"]);
  });

  test("answer which files exist", async () => {
    const fixture = await begunWith();
    await fixture.send(
      { type: "findFiles", tabId: "t", names: ["a.ts"] },
      { type: "findFiles", tabId: "t", names: [] },
    );
    deepEqual(fixture.of("filesFound"), [
      { type: "filesFound", tabId: "t", files: [{ name: "a.ts", href: "file:///w/a.ts", place: "a.ts" }] },
    ]);
  });

  test("change and reveal nothing in an untrusted workspace", async () => {
    const fixture = await begunWith();
    fixture.trusted = false;
    await fixture.send(
      { type: "insertCode", tabId: "t", code: "a" },
      { type: "applyCode", tabId: "t", code: "b", named: [], mentioned: [] },
      { type: "findFiles", tabId: "t", names: ["a.ts"] },
      { type: "openSymbol", tabId: "t", name: "parseFoo" },
    );
    deepEqual([fixture.done, fixture.of("filesFound"), fixture.of("failed").length], [[], [], 3]);
  });

  test("post the colors of code to a new page, and each change", async () => {
    const fixture = await begunWith(),
      colors = { comment: { color: "#010203" } };
    await fixture.ready();
    fixture.codeColors = colors;
    await fixture.ready();
    fixture.chat.codeColorsChanged();
    await fixture.ready();
    fixture.codeColors = undefined;
    fixture.chat.codeColorsChanged();
    await fixture.send();
    deepEqual(fixture.of("codeColors"), [
      { type: "codeColors", colors },
      { type: "codeColors", colors },
      { type: "codeColors" },
    ]);
  });
});
