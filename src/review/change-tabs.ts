/**
 * The editors of several changes (`vscode.changes`) that the review has opened, with what they show: a session, or one
 * of its turns. Pure.
 *
 * Invariant: an action concerns the changes that the active editor shows, or none. Two open editors with the same title
 * and different changes have no action.
 */
import type { ReviewScope } from "../protocol/review/review";

export interface EditorTabs {
  /** Labels in all groups. */
  labels(): readonly string[];
  active(): string | undefined;
  onChange(listener: () => void): { dispose(): void };
  close(isClosed: (label: string) => boolean): Promise<void>;
}

/** All changes of a session, or those of one turn. */
export type ShownScope = Pick<ReviewScope, "id" | "turn">;

/** VS Code appends the number of files in parentheses, in the language of its user. */
const FILE_COUNT = /^\s*[(（][^()（）]*[)）]$/u;

/** Whether this is the label of the editor that was opened with the title. */
export function isTitled(label: string, title: string): boolean {
  return label.startsWith(title) && (label.length === title.length || FILE_COUNT.test(label.slice(title.length)));
}

export class ChangeTabs {
  readonly #scopes = new Map<string, ShownScope | "ambiguous">();
  readonly #listener: { dispose(): void };

  /** `showActive`: called with what the active editor shows. */
  constructor(
    private readonly tabs: EditorTabs,
    private readonly showActive: (scope: ShownScope | undefined) => void,
  ) {
    this.#listener = tabs.onChange(() => this.#changed());
  }

  /** Call it when an editor with this title has been opened. */
  opened(title: string, scope: ShownScope): void {
    const known = this.#scopes.get(title);
    this.#scopes.set(title, known === undefined || isSameScope(known, scope) ? scope : "ambiguous");
    this.#changed();
  }

  get active(): ShownScope | undefined {
    const label = this.tabs.active(),
      [, scope] = [...this.#scopes].find(([title]) => label !== undefined && isTitled(label, title)) ?? [];
    return scope === "ambiguous" ? undefined : scope;
  }

  /** Closes the editors that show this. */
  async close(scope: ShownScope): Promise<void> {
    const titles = [...this.#scopes].filter(([, each]) => isSameScope(each, scope)).map(([title]) => title);
    await this.tabs.close(label => titles.some(title => isTitled(label, title)));
  }

  #changed(): void {
    const labels = this.tabs.labels();
    for (const title of [...this.#scopes.keys()])
      if (!labels.some(label => isTitled(label, title))) this.#scopes.delete(title);
    this.showActive(this.active);
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

function isSameScope(a: ShownScope | "ambiguous", b: ShownScope): boolean {
  return a !== "ambiguous" && a.id === b.id && a.turn === b.turn;
}
