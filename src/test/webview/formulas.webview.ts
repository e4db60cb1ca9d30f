/** Formulas in answers: streamed, invalid and hostile ones, and screenshots of three widths and themes. */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { becomes } from "../page/scripted";
import { openStill, testAppearance } from "./appearance-steps";

const ANSWER = String.raw`say The roots of $ax^2 + bx + c = 0$ are\n\n$$x_{1,2} = \\frac{-b \\pm
say  \\sqrt{b^2 - 4ac}}{2a}$$\n\nwith the discriminant \\(\\Delta = b^2 - 4ac\\). It costs $5 and $10, and \`$HOME\` stays.
say \n\n1. A sum: $\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}$\n2. A matrix:\n\n   \\[\n   A = \\begin{pmatrix} 1 & 2 & 3 \\\\ 4 & 5 & 6 \\\\ 7 & 8 & 9 \\end{pmatrix}, \\quad \\det A = 0, \\quad \\operatorname{rank} A = 2, \\quad \\int_0^1 f(x)\\,dx\n   \\]\n\n| Rule | Form |\n|---|---|\n| Norm | $|x|_2$ |\n\nInvalid: $\\frac{1}$ and open $x`.replaceAll(
  "\\`",
  "`",
);

const HOSTILE = String.raw`say $\\href{javascript:alert(1)}{a}$ $\\includegraphics{https://example.org/x.png}$ $\\url{javascript:b}$ $\\text{<img src=x onerror=alert(1)>}$ $\\class{x}{y}$ $\\style{position:fixed}{z}$
say  $\\def\\a{\\b\\b}\\def\\b{\\c\\c}\\def\\c{\\d\\d}\\def\\d{\\e\\e}\\def\\e{\\f\\f}\\def\\f{\\g\\g}\\def\\g{\\h\\h}\\def\\h{xx}\\a\\a\\a$ $${"{".repeat(900)}${"}".repeat(900)}$
say  $\\gdef\\q{leaked}\\q$ and $\\q$ $\\rule{9999em}{9999em}$`;

suite("formulas in answers", () => {
  let box: ChatBox;
  const requested: string[] = [];
  suiteSetup(async () => {
    box = await openStill({
      onPage: async page => {
        page.on("request", request => requested.push(new URL(request.url()).pathname));
      },
    });
  });
  suiteTeardown(() => box.close());

  const chunks = () => requested.filter(path => /webview-/.test(path)),
    formulas = (shows: string) =>
      box.frame.locator(`[data-part=chat]:visible .symposium-formula[data-shows=${shows}]:visible`),
    sources = (shows: string) => formulas(shows).evaluateAll(all => all.map(element => element.textContent));

  test("loads no chunk for an answer without formulas", async () => {
    await sendPrompt(box.frame, "say It costs $5 and $10.");
    await turnEnded(box.frame);
    assert.deepEqual(chunks(), []);
  });

  test("draws the formulas of a streamed answer, and keeps prices, code and incomplete formulas", async () => {
    await sendPrompt(box.frame, ANSWER);
    await turnEnded(box.frame);
    await becomes(() => formulas("formula").count(), 6, "drawn formulas");
    assert.deepEqual(await sources("invalid"), [String.raw`$\frac{1}$`]);
    assert.deepEqual(chunks(), ["/dist/webview-tex.js"]);
    const text = (await box.frame.locator("[data-part=conversation]:visible").textContent()) ?? "";
    for (const kept of ["$5 and $10", "$HOME", "open $x"]) assert.ok(text.includes(kept), kept);
    assert.equal(await box.frame.locator("math mfrac:visible").count(), 2);
  });

  testAppearance({ box: () => box, name: "formulas" });

  test("shows the source of hostile formulas, without links, resources or styles of the author", async () => {
    const before = await formulas("formula").count();
    await sendPrompt(box.frame, HOSTILE);
    await turnEnded(box.frame);
    await becomes(() => formulas("source").count(), 0, "formulas that wait");
    const invalid = (await sources("invalid")).join(" ");
    for (const hidden of ["javascript:alert", "includegraphics", "javascript:b", "\\def", "\\q$"])
      assert.ok(invalid.includes(hidden), hidden);
    assert.ok((await formulas("formula").count()) > before);
    const found = await box.frame
      .locator(".symposium-formula")
      .evaluateAll(all =>
        all
          .flatMap(root => [...root.querySelectorAll("a, img, script, [href], [src], [style*=position], [onerror]")])
          .map(({ outerHTML }) => outerHTML),
      );
    assert.deepEqual(found, []);
    assert.ok(!requested.some(path => path.includes("x.png")));
  });
});
