/**
 * Recorded contents of the sidecar, with a bounded cache. A content never changes, because its id is that of its bytes.
 *
 * Invariant: one request per content at a time. A failed one is repeated by the next reader.
 */
import type { SidecarClient } from "../sidecar/client";

export const MAX_BYTES = 16 * 1024 * 1024;
const EMPTY = new Uint8Array();

export class ContentCache {
  /** By root and id, the last used ones at the end. */
  readonly #contents = new Map<string, Promise<Uint8Array>>();
  #bytes = 0;

  constructor(private readonly client: () => Promise<SidecarClient>) {}

  async read(root: string, oid: string): Promise<Uint8Array> {
    const key = `${oid} ${root}`,
      cached = this.#contents.get(key);
    if (cached !== undefined) {
      this.#contents.delete(key);
      this.#contents.set(key, cached);
      return cached;
    }
    const loading = this.#load(root, oid);
    this.#contents.set(key, loading);
    try {
      this.#bytes += (await loading).length;
    } catch (error) {
      this.#contents.delete(key);
      throw error;
    }
    await this.#evict(key);
    return loading;
  }

  async #load(root: string, oid: string): Promise<Uint8Array> {
    const { data } = await (await this.client()).request("review/content", { root, oid });
    return Buffer.from(data, "base64");
  }

  async #evict(used: string): Promise<void> {
    for (const [key, content] of this.#contents) {
      if (this.#bytes <= MAX_BYTES) return;
      if (key === used) continue;
      this.#contents.delete(key);
      this.#bytes -= (await content.catch(() => EMPTY)).length;
    }
  }
}
