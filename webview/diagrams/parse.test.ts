import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import type { Graph, Sequence } from "./model";
import { LIMITS, parseDiagram } from "./parse";
import { DiagramError } from "./source";

function graph(source: string): Graph {
  const diagram = parseDiagram(source);
  ok(diagram.kind === "graph");
  return diagram;
}
function sequence(source: string): Sequence {
  const diagram = parseDiagram(source);
  ok(diagram.kind === "sequence");
  return diagram;
}
const edges = (source: string): readonly string[] =>
  graph(source).edges.map(
    ({ from, to, label, line, start, end }) =>
      `${from} ${start === "none" ? "" : `${start} `}${line} ${end} ${to}${label === "" ? "" : `: ${label}`}`,
  );
const nodes = (source: string): readonly string[] =>
  graph(source).nodes.map(
    ({ id, outline, label, group }) => `${id} ${outline} ${label}${group === undefined ? "" : ` in ${group}`}`,
  );

suite("Mermaid flowchart", () => {
  test("reads links with their lines, ends and labels", () =>
    deepEqual(
      edges(
        "flowchart LR\nA-->B-.->|maybe| C\nB -- no --> D; D ==> E\nE --- A\nA o--x B\nA <--> B\nA & B --> C\nC -. dotted .-> A\nA ~~~ C",
      ),
      [
        "A solid arrow B",
        "B dotted arrow C: maybe",
        "B solid arrow D: no",
        "D thick arrow E",
        "E solid none A",
        "A circle solid cross B",
        "A arrow solid arrow B",
        "A solid arrow C",
        "B solid arrow C",
        "C dotted arrow A: dotted",
        "A hidden none C",
      ],
    ));

  test("reads nodes with their outlines, labels and groups", () =>
    deepEqual(
      nodes(
        'graph TD\nA["a (b)"] --> B{c}\nsubgraph one [First]\nB\nC[(d)] --> D([e<br/>f])\nsubgraph two\nE((g)):::x\nend\nend\nF@{ shape: cyl, label: "h" }\nG>i]\nclick A "javascript:x"\nstyle A fill:#fff',
      ),
      [
        "A rect a (b)",
        "B diamond c in one",
        "C cylinder d in one",
        "D stadium e\nf in one",
        "E circle g in two",
        "F cylinder h",
        "G flag i",
      ],
    ));

  test("decodes entities and removes quotes and formatting", () =>
    deepEqual(nodes('graph\nA["#quot;<b>x</b>#quot; #35;1 &lt;i&gt;"]'), ['A rect "x" #1 <i>']));
});

suite("Mermaid state diagram", () => {
  test("reads states, transitions, groups and notes", () => {
    const source =
      'stateDiagram-v2\n[*] --> A : go\nstate "Long name" as B\nA --> C\nstate C {\n[*] --> D\nD --> [*]\n}\nstate f <<fork>>\nC --> f\nnote right of A\nlines\nof it\nend note';
    deepEqual(edges(source), [
      "start: solid arrow A: go",
      "A solid arrow C",
      "start:C solid arrow D",
      "D solid arrow end:C",
      "C solid arrow f",
      "note 1 dotted none A",
    ]);
    deepEqual(nodes(source).slice(0, 4), ["start: start ", "A round A", "B round Long name", "start:C start  in C"]);
    equal(graph(source).groups[0]?.label, "C");
  });
});

suite("Mermaid class diagram", () => {
  test("reads members, annotations, generics and relations", () => {
    const source =
      'classDiagram\nclass A~T~ {\n<<interface>>\n+int x\n+run() void\n}\nA <|-- B\nB "1" *-- "0..*" C : has\nB ..> D\nC : +y\nnote for C "n"';
    deepEqual(edges(source), [
      "A triangle solid none B",
      "B filledDiamond solid none C: has",
      "B dotted arrow D",
      "note 1 dotted none C",
    ]);
    const [a] = graph(source).nodes;
    equal(a?.label, "«interface»\nA<T>");
    deepEqual(a?.sections, [["+int x"], ["+run() void"]]);
  });
});

suite("Mermaid entity relationship diagram", () => {
  test("reads entities, attributes and cardinalities", () => {
    const source =
      'erDiagram\nA ||--o{ B : places\nB }|..|| "C D" : "is in"\nA {\nstring name PK, FK "the name"\nint age\n}';
    deepEqual(edges(source), ["A one solid zeroOrMany B: places", "B many dotted one C D: is in"]);
    deepEqual(graph(source).nodes[0]?.sections, [["name: string  PK FK  the name", "age: int"]]);
  });
});

suite("Mermaid sequence diagram", () => {
  test("reads participants, messages, notes, blocks and activations", () => {
    const { participants, steps } = sequence(
      "sequenceDiagram\nautonumber\nactor U as User\nU->>+S: one\nalt yes\nS-->>-U: two\nelse no\nS-xU: three\nend\nNote over U,S: note\nrect rgb(0,0,0)\nactivate S\nend",
    );
    deepEqual(
      participants.map(({ id, label, isPerson }) => [id, label, isPerson]),
      [
        ["U", "User", true],
        ["S", "S", false],
      ],
    );
    deepEqual(
      steps.map(step =>
        step.kind === "message" ? `${step.from} ${step.isDashed} ${step.end} ${step.to}: ${step.text}` : step.kind,
      ),
      [
        "U false arrow S: 1. one",
        "activate",
        "open",
        "S true arrow U: 2. two",
        "deactivate",
        "divide",
        "S false cross U: 3. three",
        "close",
        "note",
        "activate",
      ],
    );
  });
});

suite("Mermaid source", () => {
  test("names the first line that cannot be drawn", () => {
    for (const [source, reason] of [
      ["graph TD\n\nA --> ?? B", "Line 3 cannot be drawn: A --> ?? B"],
      ["---\ntitle: x\n---\ngraph TD\nend", "Line 5 cannot be drawn: end"],
      ["sequenceDiagram\nA->>B: x\nloop y", "Line 3 cannot be drawn: loop y"],
      ["erDiagram\nA {\nx\n}", "Line 3 cannot be drawn: x"],
      ["classDiagram\nA <|== B", "Line 2 cannot be drawn: A <|== B"],
      ["stateDiagram\nA -> B", "Line 2 cannot be drawn: A -> B"],
      ["gantt\ntitle x", "Diagrams of this type cannot be drawn: gantt"],
      ["graph TD", "The diagram is empty."],
      [`graph TD\n${"A".repeat(LIMITS.line + 1)}`, "The diagram is too large to be drawn."],
      [
        `graph TD\n${Array.from({ length: 61 }, (_, i) => `n${i}`).join("\n")}`,
        "The diagram is too large to be drawn.",
      ],
    ] as const)
      throws(
        () => parseDiagram(source),
        error => error instanceof DiagramError && error.message === reason,
        source,
      );
  });

  const pieces = [
    "A",
    "B",
    "-->",
    "--",
    "|",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    '"',
    " ",
    "\n",
    "end",
    "subgraph ",
    ":",
    "state ",
    "class ",
    "->>",
    "||--o{",
    "note over ",
    "&",
    ";",
    "<<",
    ">>",
    "[*]",
    "%%",
    "loop ",
  ];
  test("is drawn or rejected with a reason, whatever the text", () =>
    fc.assert(
      fc.property(
        fc.constantFrom("graph TD\n", "stateDiagram-v2\n", "classDiagram\n", "erDiagram\n", "sequenceDiagram\n", ""),
        fc.array(fc.constantFrom(...pieces), { maxLength: 40 }),
        (header, parts) => {
          try {
            parseDiagram(header + parts.join(""));
          } catch (error) {
            ok(error instanceof DiagramError, String(error));
          }
        },
      ),
    ));

  test("is parsed in short time, whatever the lines", () => {
    const began = performance.now();
    for (const header of ["graph TD", "stateDiagram-v2", "classDiagram", "erDiagram", "sequenceDiagram"])
      for (const line of ["A ", "A--", "-", " ", '"', "A -- x ", "A:", "[", "class A "])
        try {
          parseDiagram(`${header}\n${line.repeat(LIMITS.line).slice(0, LIMITS.line - 1)}!`);
        } catch (error) {
          ok(error instanceof DiagramError);
        }
    ok(performance.now() - began < 3_000);
  });
});
