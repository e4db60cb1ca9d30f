/** The last known commits of repositories. Pure. */
export class CommitLog {
  readonly #commits = new Map<string, string | undefined>();

  constructor(private readonly committed: (folder: string) => void) {}

  /** The repository now has this commit; none before the first one. */
  seen(folder: string, commit: string | undefined): void {
    const isKnown = this.#commits.has(folder),
      last = this.#commits.get(folder);
    this.#commits.set(folder, commit);
    if (isKnown && commit !== undefined && commit !== last) this.committed(folder);
  }
}
