/**
 * Removes objects that are needed neither by a conversation or its open turn nor by an index, and stores that are not
 * used any more. Works on files only, without git.
 *
 * Invariant: an object that was written, recorded again or pinned in the last day remains.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Oid } from "./file-state";
import { HeldTrees, objectsOf, releaseHeld } from "./held-trees";
import type { HashAlgorithm } from "./index-file";
import { LooseObjects } from "./loose-objects";
import { isAlive } from "./own-index";
import { PinnedObjects } from "./pinned-objects";
import { StoreFolder } from "./store-folder";

const GRACE_MS = 24 * 60 * 60 * 1000;

export async function releaseConversation(storage: string, conversation: string): Promise<void> {
  for (const store of StoreFolder.all(storage)) await new PinnedObjects(store.pins).release(conversation);
  await releaseTurn(storage, conversation);
}

/** The turn of the conversation has ended. */
export async function releaseTurn(storage: string, conversation: string): Promise<void> {
  for (const store of StoreFolder.all(storage)) await releaseHeld(store.turns, conversation);
}

/** `now`: milliseconds since 1970. Never rejects: a store that cannot be read is kept. */
export async function pruneStores(storage: string, now: number): Promise<void> {
  for (const store of StoreFolder.all(storage)) await prune(store, now - GRACE_MS).catch(() => undefined);
}

async function prune(store: StoreFolder, before: number): Promise<void> {
  const config = await readFile(path.join(store.path, "config"), "utf8"),
    algorithm: HashAlgorithm = /objectformat = sha256/.test(config) ? "sha256" : "sha1",
    pinned = await new PinnedObjects(store.pins).all(),
    held = await new HeldTrees(store.turns, algorithm).needed(),
    indexes = store.indexes();
  if (held === undefined) return; // unknown needs
  const isUsed =
    pinned.size > 0 || held.size > 0 || indexes.some(({ pid, mtimeMs }) => mtimeMs >= before || isAlive(pid));
  if (!isUsed && indexes.length > 0) return store.remove();
  const needed = new Set<Oid>([...pinned, ...held]);
  for (const { file, pid } of indexes) {
    const oids = await objectsOf(file, store.edits(pid), algorithm);
    if (oids === undefined) return; // unknown needs
    for (const oid of oids) needed.add(oid);
  }
  await new LooseObjects(store.objects, algorithm).delete(before, oid => needed.has(oid));
}
