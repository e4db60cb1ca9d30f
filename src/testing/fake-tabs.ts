import type { EditorTabs } from "../review/change-tabs";

/** Tabs of editors in one group. */
export class FakeTabs implements EditorTabs {
  #labels: readonly string[] = [];
  #active: string | undefined;
  readonly #listeners = new Set<() => void>();

  labels(): readonly string[] {
    return this.#labels;
  }
  active(): string | undefined {
    return this.#active;
  }
  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }
  async close(isClosed: (label: string) => boolean): Promise<void> {
    this.#show(this.#labels.filter(label => !isClosed(label)));
  }

  open(label: string): void {
    this.#show([...this.#labels, label], label);
  }
  activate(label: string): void {
    this.#show(this.#labels, label);
  }
  closeAll(): void {
    this.#show([]);
  }

  #show(labels: readonly string[], active = labels.at(-1)): void {
    this.#labels = labels;
    this.#active = active;
    for (const listener of this.#listeners) listener();
  }
}
