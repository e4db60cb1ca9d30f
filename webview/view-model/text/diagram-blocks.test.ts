import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { diagramBlocks } from "./diagram-blocks";
import { splitBlocks } from "./split-answer";

const blocks = (text: string, before = ""): readonly boolean[] => diagramBlocks({ before, text });

suite("diagram blocks", () => {
  test("are complete after their closing fence", () => {
    deepEqual(blocks("a\n```mermaid\ngraph TD"), [false]);
    deepEqual(blocks("a\n```mermaid\ngraph TD\n```"), [true]);
    deepEqual(blocks("- a\n  ~~~~ mermaid title\n  x\n  ~~~~\n```ts\nmermaid\n```\n```mermaid\n"), [true, false]);
    deepEqual(blocks("```ts\n```mermaid\n```"), []);
  });

  test("are incomplete if a long answer divides them", () => {
    deepEqual(blocks("b-->c\n```\n```mermaid\nx\n```", "```mermaid\n"), [false, true]);
    const text = `\`\`\`mermaid\n${"a-->b\n".repeat(2_000)}\`\`\``;
    for (const part of splitBlocks(text)) ok(!diagramBlocks(part).includes(true));
  });

  test("stay complete while a text grows", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("```mermaid\n", "```\n", "~~~mermaid\n", "~~~\n", "x\n", "- ", "```ts\n")),
        fc.nat(),
        (lines, cut) => {
          const earlier = blocks(lines.slice(0, cut % (lines.length + 1)).join("")),
            later = blocks(lines.join(""));
          ok(earlier.length <= later.length);
          ok(earlier.every((isComplete, i) => !isComplete || later[i] === true));
        },
      ),
    ));
});
