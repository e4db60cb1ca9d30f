import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { graphScene } from "./graph-scene";
import { parseDiagram } from "./parse";
import type { Measure, Scene } from "./scene";
import { sequenceScene } from "./sequence-scene";

const measure: Measure = text => text.length * 7;

function sceneOf(source: string): Scene {
  const diagram = parseDiagram(source);
  return diagram.kind === "graph" ? graphScene(diagram, measure) : sequenceScene(diagram, measure);
}
const texts = ({ items }: Scene): readonly string[] =>
  items.flatMap(item => (item.kind === "text" ? item.lines.filter(line => line !== "") : []));

suite("diagram scene", () => {
  test("contains each text of the source once, inside the frame", () => {
    for (const [source, expected] of [
      ['graph LR\nA["one"] -->|two| B(three)\nsubgraph g [four]\nB --> C\nend', ["one", "two", "three", "four", "C"]],
      ["sequenceDiagram\nA->>B: one\nNote over A,B: two\nB-->>A: three", ["A", "B", "one", "two", "three"]],
      ["classDiagram\nA : +x\nA --> B : y", ["A", "+x", "B", "y"]],
    ] as const) {
      const scene = sceneOf(source);
      deepEqual([...texts(scene)].sort(), [...expected].sort());
      for (const item of scene.items)
        if (item.kind === "box") {
          const { x, y, width, height } = item.box;
          ok(x - width / 2 >= scene.minX && x + width / 2 <= scene.minX + scene.width);
          ok(y - height / 2 >= scene.minY && y + height / 2 <= scene.minY + scene.height);
        }
    }
  });

  test("wraps a long label between words", () => ok(texts(sceneOf(`graph TD\nA["${"word ".repeat(20)}"]`)).length > 2));

  test("draws links of groups, loops and empty groups", () => {
    for (const source of [
      "graph TD\nsubgraph a\nx\nend\nsubgraph b\ny\nend\na --> b\na --> y\nx --> a",
      "graph TD\nA --> A",
      "graph TD\nsubgraph a\nsubgraph b\nend\nend\nb --> c",
      "stateDiagram-v2\nstate A {\n[*] --> A\n}\nA --> A",
    ])
      ok(sceneOf(source).width > 0, source);
  });

  const id = fc.constantFrom("a", "b", "c", "d", "e");
  test("has finite coordinates for any graph", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(id, id), { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(id, id), { maxLength: 3 }),
        fc.constantFrom("TD", "LR", "BT", "RL"),
        (links, groups, direction) => {
          const source = [
            `graph ${direction}`,
            ...groups.flatMap(([group, member]) => [`subgraph g${group}`, member, "end"]),
            ...links.map(([from, to]) => `${from} --> ${to}`),
            ...groups.map(([group, member]) => `g${group} --> ${member}`),
          ].join("\n");
          const { items, ...frame } = sceneOf(source);
          ok(Object.values(frame).every(Number.isFinite));
          for (const item of items)
            ok(!/NaN|Infinity/.test(JSON.stringify(item)) && !JSON.stringify(item).includes("null"));
        },
      ),
      { numRuns: 40 },
    ));
});
