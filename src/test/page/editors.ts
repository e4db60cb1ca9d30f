/** The editors of a window of VS Code. */
import path from "node:path";
import type { Locator } from "playwright-core";
import type { Box } from "./harness";
import { seen } from "./scripted";

/** The lines of the first editor group. */
export const lines = (box: Box): Locator => box.page.locator(".editor-group-container .view-lines").first();

/** The active tab, if it has this name. */
export const fileTab = (box: Box, name: string): Locator =>
  box.page.locator(".tabs-container .tab.active", { hasText: name });

export const editorShows = (box: Box, text: RegExp): Promise<void> =>
  seen(
    async () =>
      text.test(
        (
          await lines(box)
            .innerText()
            .catch(() => "")
        ).replaceAll("\u00a0", " "),
      ),
    `${text} in the editor`,
  );

export const isSaved = (box: Box, name: string): Promise<void> =>
  seen(
    async () => !(await fileTab(box, name).evaluate(tab => tab.classList.contains("dirty"))),
    `that ${name} is saved`,
  );

/** Opens a file by its name in the file picker, as a permanent editor. The picker also lists diffs of the file. */
export async function pickFile(box: Box, name: string): Promise<void> {
  const label = box.page.locator(".label-name").getByText(path.basename(name), { exact: true });
  await seen(
    async () => {
      await box.page.keyboard.press("Escape");
      await box.page.keyboard.press("Control+p");
      await box.page.locator(".quick-input-widget input.input").fill(name);
      return box.page
        .locator(".quick-input-widget .monaco-list-row", { has: label })
        .first()
        .click({ timeout: 10_000 })
        .then(
          () => true,
          () => false,
        );
    },
    `${name} among the files`,
    90_000,
  );
  await fileTab(box, path.basename(name)).waitFor();
  // wait for the focus, so that the editor does not take it later
  await box.page.locator(".editor-group-container .monaco-editor.focused .view-lines").first().waitFor();
}
