/**
 * Loads icons of agents and extensions as `data:` addresses: from memory, then from disk, then over the network with at
 * most eight parallel requests.
 *
 * Invariants:
 * - Never fails, because icons are optional.
 * - An address without a valid icon is not requested again in this window.
 * - An icon from disk is validated again, because any program may have written it.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { Clock } from "../../rpc/clock";
import { fetchBytes, RegistryError, type FetchDeps } from "../../http/fetch-document";
import { pictureOf } from "./icon-validation";
import { readStored, writeStored } from "./stored-document";

export interface IconsDeps {
  /** `~/.symposium/cache`, created on demand. */
  readonly folder: string;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly fetch: FetchDeps["fetch"];
  readonly version: string;
  /** Logs an icon that could not be loaded or stored. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

export const MAX_ICONS = 100,
  MAX_ICON_BYTES = 64 * 1024;
const MAX_PARALLEL = 8,
  TIMEOUT_MS = 10_000,
  FRESH_MS = 7 * 24 * 3600 * 1000;

export class Icons {
  readonly #deps: IconsDeps;
  /** Icons by address. Undefined: no valid icon. */
  readonly #icons = new Map<string, string | undefined>();
  readonly #pending = new Map<string, Promise<string | undefined>>();

  constructor(deps: IconsDeps) {
    this.#deps = deps;
  }

  /** `addresses` by id. Only the first `MAX_ICONS` are loaded. */
  async of(addresses: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const icons: [id: string, icon: string][] = [],
      remaining = [...addresses].slice(0, MAX_ICONS);
    const next = async (): Promise<void> => {
      for (let first = remaining.shift(); first && !signal.aborted; first = remaining.shift()) {
        const [id, address] = first,
          icon = await this.#icon(address, signal);
        if (icon !== undefined) icons.push([id, icon]);
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL }, next));
    return Object.fromEntries(icons);
  }

  #icon(address: string, signal: AbortSignal): Promise<string | undefined> {
    if (this.#icons.has(address)) return Promise.resolve(this.#icons.get(address));
    const pending = this.#pending.get(address);
    if (pending) return pending;
    const flight = this.#find(address, signal).finally(() => this.#pending.delete(address));
    this.#pending.set(address, flight);
    return flight;
  }

  async #find(address: string, signal: AbortSignal): Promise<string | undefined> {
    const { onWarning, date } = this.#deps,
      folder = path.join(this.#deps.folder, "icons");
    const stored = await readStored(folder, address),
      cached = stored && pictureOf(Buffer.from(stored.text, "base64")),
      age = date() - (stored?.fetchedAt ?? 0);
    if (cached !== undefined && age >= 0 && age < FRESH_MS) return this.#keep(address, cached);
    try {
      const answer = await fetchBytes(
        address,
        { ...this.#deps, signal },
        { maxBytes: MAX_ICON_BYTES, timeoutMs: TIMEOUT_MS, accept: "image/svg+xml, image/png" },
      );
      const icon = answer.kind === "fresh" ? pictureOf(answer.content) : undefined;
      if (icon === undefined || answer.kind === "same")
        throw new RegistryError("wrong", l10n.t("Its image format is not supported."));
      await writeStored(folder, {
        url: address,
        text: Buffer.from(answer.content).toString("base64"),
        fetchedAt: date(),
      }).catch((error: unknown) => onWarning("An icon could not be stored", { folder, error: String(error) }));
      return this.#keep(address, icon);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      if (error.code === "cancelled") return cached;
      onWarning("An icon could not be downloaded", { address, code: error.code, error: error.message });
      return this.#keep(address, cached);
    }
  }

  #keep(address: string, icon: string | undefined): string | undefined {
    this.#icons.set(address, icon);
    return icon;
  }
}
