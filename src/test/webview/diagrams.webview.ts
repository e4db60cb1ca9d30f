/** Mermaid diagrams in answers: streamed, invalid and hostile ones, and screenshots of three widths and themes. */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { barrier, becomes } from "../page/scripted";
import { openStill, testAppearance } from "./appearance-steps";

const FLOW = String.raw`\`\`\`mermaid\nflowchart TD\n  A["The user's prompt"] --> B{"Is it queued?"}\n  B -->|yes| C[(Journal)]\n  B -- no --> D[Session]\n  subgraph sidecar [Sidecar]\n    D -.-> E([Agent])\n    D ==> C\n  end\n  E --> F((End))\n\`\`\`\n`;
const SEQUENCE = String.raw`\`\`\`mermaid\nsequenceDiagram\n  actor U as User\n  participant S as Sidecar\n  U->>+S: prompt\n  loop each chunk\n    S-->>U: append\n  end\n  Note over U,S: One session\n  S-->>-U: end of turn\n\`\`\`\n`;
const CLASSES = String.raw`\`\`\`mermaid\nclassDiagram\n  class Agent {\n    <<interface>>\n    +prompt(text) void\n  }\n  Agent <|-- Eliza\n  Agent "1" *-- "0..*" Session : has\n\`\`\`\n`;
const INVALID = String.raw`\`\`\`mermaid\ngraph TD\n  A --> ?? B\n\`\`\`\n`;
const PIE = String.raw`\`\`\`mermaid\npie\n  "a": 1\n\`\`\`\n`;
const HOSTILE = String.raw`\`\`\`mermaid\n%%{init: {"securityLevel": "loose"}}%%\nflowchart TD\n  A["<img src=x onerror=alert(1)>"] --> B["<script>alert(2)</script>"]\n  click A "javascript:alert(3)" _blank\n  click B call hacked()\n  style A fill:url(https://example.org/x.png)\n  classDef red fill:#f00\n  B --> C["[x](javascript:alert(4))"]\n\`\`\`\n`;
const HUGE = `\`\`\`mermaid\\ngraph TD\\n${names("a")} --> ${names("b")}\\n\`\`\`\\n`;

function names(prefix: string): string {
  return Array.from({ length: 20 }, (_, i) => `${prefix}${i}`).join(" & ");
}

const plain = (text: string): string => text.replaceAll("\\`", "`");

suite("diagrams in answers", () => {
  let box: ChatBox;
  const requested: string[] = [];
  suiteSetup(async () => {
    box = await openStill({
      onPage: async page => {
        page.on("request", request => requested.push(request.url()));
      },
    });
  });
  suiteTeardown(() => box.close());

  const chunks = () => requested.filter(address => /\/webview-/.test(address)),
    diagrams = (state: string) =>
      box.frame.locator(`[data-part=chat]:visible .symposium-diagram[data-state=${state}]:visible`);

  test("loads no chunk for an answer with other code", async () => {
    await sendPrompt(box.frame, plain("say \\`\\`\\`ts\\nconst a = 1;\\n\\`\\`\\`"));
    await turnEnded(box.frame);
    assert.deepEqual(chunks(), []);
  });

  test("draws a streamed diagram when its block is complete, and shows its code until then", async () => {
    const gate = barrier(),
      [start = "", end = ""] = [plain(FLOW).slice(0, 90), plain(FLOW).slice(90)];
    await sendPrompt(box.frame, `say The way of a prompt:\\n\\n${start}\n${gate.step}\nsay ${end}\nsay \\nAs above.`);
    await box.frame.locator("[data-part=chat]:visible code.language-mermaid:visible").waitFor();
    assert.equal(await diagrams("diagram").count(), 0);
    assert.deepEqual(chunks(), []);
    gate.open();
    await turnEnded(box.frame);
    await diagrams("diagram").waitFor();
    assert.equal(chunks().length, 1);
    assert.equal(await box.frame.locator("code.language-mermaid:visible").count(), 0);
    const texts = await diagrams("diagram").locator("text").allTextContents();
    for (const text of ["The user's prompt", "Is it queued?", "yes", "Sidecar"]) assert.ok(texts.includes(text), text);
  });

  test("switches to the source and back, and zooms", async () => {
    const diagram = diagrams("diagram"),
      width = async (): Promise<number> => (await diagram.locator("svg").boundingBox())?.width ?? 0,
      press = (name: string) => box.frame.getByRole("button", { name, exact: true }).press("Enter");
    const fitted = await width();
    await press("Zoom In");
    await becomes(async () => (await width()) > fitted * 1.2, true, "a larger diagram");
    await press("Fit to Width");
    await becomes(width, fitted, "the diagram in its first width");
    await press("Show Source");
    await box.frame.locator("code.language-mermaid:visible").waitFor();
    await press("Show Diagram");
    await diagram.waitFor();
  });

  test("keeps the code of invalid, unknown and large diagrams, with a reason", async () => {
    await sendPrompt(box.frame, `say ${plain(INVALID)}\\n${plain(PIE)}\\n${plain(HUGE)}`);
    await turnEnded(box.frame);
    await becomes(
      () => diagrams("invalid").allTextContents(),
      [
        "Line 2 cannot be drawn: A --> ?? B",
        "Diagrams of this type cannot be drawn: pie",
        "The diagram is too large to be drawn.",
      ],
      "the reasons",
    );
    assert.equal(await box.frame.locator("code.language-mermaid:visible").count(), 3);
  });

  test("draws hostile labels as text, without links, resources and colors of the author", async () => {
    await sendPrompt(box.frame, `say ${plain(HOSTILE)}`);
    await turnEnded(box.frame);
    await becomes(() => diagrams("diagram").count(), 2, "two diagrams");
    const drawn = diagrams("diagram").last();
    assert.ok((await drawn.locator("text").allTextContents()).includes("<script>alert(2)</script>"));
    assert.deepEqual(
      await drawn
        .locator("svg")
        .evaluate(svg => [...new Set([...svg.querySelectorAll("*")].map(({ localName }) => localName))].sort()),
      ["path", "rect", "text", "tspan"],
    );
    const markup = await drawn.locator("svg").evaluate(svg => svg.outerHTML);
    assert.doesNotMatch(markup, /href|url\(|#f00|onerror=(?!alert)|<img|<script/);
    assert.ok(!requested.some(address => address.includes("example.org")));
  });

  test("draws flow charts, sequences and classes", async () => {
    const before = await diagrams("diagram").count();
    await sendPrompt(box.frame, `say ${plain(FLOW)}\\n${plain(SEQUENCE)}\\n${plain(CLASSES)}\\n${plain(INVALID)}`);
    await turnEnded(box.frame);
    await becomes(() => diagrams("diagram").count(), before + 3, "three diagrams more");
    await box.page.setViewportSize({ width: 1280, height: 1600 });
  });

  testAppearance({ box: () => box, name: "diagrams" });
});
