/** Files that the answers of a tab name. The host looks up each name once. Pure. */
import type { FoundFile } from "../../src/protocol/page/host-to-page";
import { NO_FILES, post, show, withTab, type Page, type Step, type Tab } from "./page-model";

/** Maximum number of names of a request, and of names that a tab remembers. */
const MAX_ASKED = 200;
const MAX_REMEMBERED = 2_000;

/** In an untrusted workspace the host finds no files, and does not answer. */
export function askFiles(page: Page, tab: Tab, names: readonly string[]): Step {
  const files = tab.files.asked.size > MAX_REMEMBERED ? NO_FILES : tab.files,
    unknown = [...new Set(names)].filter(name => !files.asked.has(name)).slice(0, MAX_ASKED);
  return unknown.length === 0
    ? [page, []]
    : [
        withTab(page, { ...tab, files: { ...files, asked: new Set([...files.asked, ...unknown]) } }),
        [post({ type: "findFiles", tabId: tab.tabId, names: unknown })],
      ];
}

export function filesFound(page: Page, tab: Tab, found: readonly FoundFile[]): Step {
  const { files } = tab;
  return [
    withTab(page, {
      ...tab,
      files: { ...files, found: new Map([...files.found, ...found.map(file => [file.name, file] as const)]) },
    }),
    [show(tab)],
  ];
}
