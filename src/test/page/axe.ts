/** Runs axe-core on the current chat view, to find violations of WCAG. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { ROOT } from "./harness";

/** The used part of axe's results. */
interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The rules of WCAG 2.0 to 2.2, levels A and AA, and axe's best practices. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** An agent's Markdown determines the heading levels, which cannot be corrected here. */
const EXCEPT = ["heading-order"];

/**
 * The violations, one line per element. The debugger inserts axe into the page, because the page's content security
 * policy would refuse a script.
 */
export async function violations(frame: FrameLocator): Promise<readonly string[]> {
  const owner = await (await frame.locator("body").elementHandle())?.ownerFrame();
  if (!owner) throw new Error("The chat view is not there.");
  if (!(await owner.evaluate(() => "axe" in window)))
    await owner.evaluate(readFileSync(path.join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8"));
  // Text that fades in or changes its theme has intermediate colors.
  await owner.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
        .map(({ finished }) => finished),
    ).then(() => undefined),
  );
  const { violations: found } = await owner.evaluate<Results>(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, rules: ${JSON.stringify(Object.fromEntries(EXCEPT.map(rule => [rule, { enabled: false }])))}, resultTypes: ["violations"] })`,
  );
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) =>
        `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${(failureSummary ?? "").replaceAll("\n", " ")}`,
    ),
  );
}
