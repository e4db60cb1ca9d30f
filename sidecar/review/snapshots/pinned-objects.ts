/**
 * The objects that conversations need. A file per conversation lists them; objects in no list are removed by `prune`.
 * References of git would need all trees of all turns to be complete. A list also works after the user's repository
 * has lost objects.
 */
import { appendFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { shortHash } from "../../process/short-hash";
import type { Oid } from "./file-state";

export class PinnedObjects {
  constructor(private readonly folder: string) {}

  async add(conversation: string, oids: readonly Oid[]): Promise<void> {
    if (oids.length === 0) return;
    await mkdir(this.folder, { recursive: true });
    // Begins with a line break, because the last line may be torn.
    await appendFile(this.#file(conversation), `\n${oids.join("\n")}\n`);
  }

  async release(conversation: string): Promise<void> {
    await rm(this.#file(conversation), { force: true });
  }

  async all(): Promise<ReadonlySet<Oid>> {
    const oids = new Set<Oid>();
    for (const name of await readdir(this.folder).catch(() => []))
      for (const line of (await readFile(path.join(this.folder, name), "latin1")).split("\n"))
        if (line !== "") oids.add(line);
    return oids;
  }

  #file(conversation: string): string {
    return path.join(this.folder, shortHash(conversation));
  }
}
