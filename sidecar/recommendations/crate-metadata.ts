/**
 * Reads the recommendations in the manifests of a project's dependencies, with one run of `cargo metadata`. It uses the
 * sources on this computer, and no network.
 *
 * Invariants:
 * - In an untrusted workspace no program is started, because cargo runs programs that the folder's configuration names.
 * - The project's files are never written (`--locked`).
 * - A run ends after `LIMIT_MS` at the latest. Without `refresh`, no run starts for a content of a `Cargo.lock` whose
 *   result is in memory or stored. Results that are too large are only in memory.
 * - A result belongs to the content of `Cargo.lock` before and after its run.
 * - `read` never rejects.
 */
import { Cargo, type CargoDeps } from "../extensions/ferris/cargo";
import { readStored, writeStored } from "../agents/registry/stored-document";
import { arrayOr, isObject, objectOr, parseJson } from "../rpc/json";
import { crateKey } from "./used-crates";

/** The metadata of one dependency; only `symposium` is kept. */
export interface CrateMetadata {
  readonly name: string;
  readonly metadata: unknown;
}

export interface CrateMetadataDeps extends CargoDeps {
  /** `~/.symposium/cache`. */
  readonly cache: string;
  /** The workspace is untrusted. */
  readonly isRestricted: boolean;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/** A project of cargo. `folder` contains its `Cargo.lock`. */
export interface LockedProject {
  readonly folder: string;
  /** Digest of the content of `Cargo.lock`. */
  readonly digest: string;
  /** Reads the digest again. Undefined if the file is not readable. */
  readonly currentDigest: () => Promise<string | undefined>;
  readonly uses: (crate: string) => boolean;
}

const LIMIT_MS = 30_000;
/** Time in milliseconds before a failed run is repeated. The sources may have been downloaded meanwhile. */
const RETRY_MS = 60_000;
/** Maximum length of the stored metadata of a project. */
const MAX_LENGTH = 512 * 1024;

/** Result of the last run for a content of `Cargo.lock`. */
type Outcome = { readonly digest: string } & (
  | { readonly kind: "known"; readonly crates: readonly CrateMetadata[] }
  /** `at`: milliseconds since 1970. */
  | { readonly kind: "failed"; readonly at: number }
);

export class CrateMetadataReader {
  /** By folder and digest. */
  readonly #running = new Map<string, Promise<readonly CrateMetadata[] | undefined>>();
  /** By folder. */
  readonly #outcomes = new Map<string, Outcome>();
  #host: string | undefined;

  constructor(private readonly deps: CrateMetadataDeps) {}

  /**
   * Metadata of the used crates that have a `symposium` table. Undefined if it is unknown: the workspace is untrusted,
   * or cargo is not installed, or a source is not on this computer. `refresh`: ignores earlier results.
   */
  async read(project: LockedProject, refresh: boolean): Promise<readonly CrateMetadata[] | undefined> {
    if (this.deps.isRestricted) return undefined;
    const earlier = refresh ? undefined : await this.#earlier(project);
    if (earlier?.kind === "known") return earlier.crates;
    if (earlier && Math.abs(this.deps.date() - earlier.at) < RETRY_MS) return undefined;
    const key = JSON.stringify([project.folder, project.digest]),
      running = this.#running.get(key) ?? this.#run(project).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #earlier(project: LockedProject): Promise<Outcome | undefined> {
    const outcome = this.#outcomes.get(project.folder);
    if (outcome?.digest === project.digest) return outcome;
    const crates = await this.#stored(project);
    return crates && this.#remember(project, { kind: "known", digest: project.digest, crates });
  }

  #remember({ folder }: LockedProject, outcome: Outcome): Outcome {
    this.#outcomes.set(folder, outcome);
    return outcome;
  }

  async #run(project: LockedProject): Promise<readonly CrateMetadata[] | undefined> {
    const { deps } = this,
      { folder, digest } = project,
      limit = new AbortController();
    using _ = deps.clock.after(LIMIT_MS, () => limit.abort(new Error("The time limit is over.")));
    try {
      using cargo = await Cargo.in(folder, this.#cargoDeps(), { signal: limit.signal, progress: () => undefined });
      // Sources for other platforms are usually not on this computer.
      this.#host ??= await cargo.host();
      const answer = await cargo.metadata([
        "--offline",
        "--locked",
        ...(this.#host === undefined ? [] : ["--filter-platform", this.#host]),
      ]);
      if (!answer.ok) return this.#unknown(project, answer.stderr.slice(0, 1_000));
      if ((await project.currentDigest()) !== digest)
        return this.#unknown(project, "Cargo.lock was changed during the run.");
      const crates = cratesIn(answer.metadata, project);
      this.#remember(project, { kind: "known", digest, crates });
      await this.#store(folder, digest, crates);
      return crates;
    } catch (error) {
      return this.#unknown(project, String(error));
    }
  }

  #unknown(project: LockedProject, error: string): undefined {
    const { folder, digest } = project;
    this.#remember(project, { kind: "failed", digest, at: this.deps.date() });
    this.deps.log("info", "The recommendations of crates are unknown", { folder, error });
  }

  #cargoDeps(): CargoDeps {
    const { deps } = this;
    // The toolchain that the project selects is not downloaded for a suggestion.
    return {
      ...deps,
      run: (spec, options) => deps.run({ ...spec, env: { ...spec.env, RUSTUP_AUTO_INSTALL: "0" } }, options),
    };
  }

  async #stored({ folder, digest }: LockedProject): Promise<readonly CrateMetadata[] | undefined> {
    const text = (await readStored(this.deps.cache, addressOf(folder)))?.text,
      value = objectOr(text === undefined ? undefined : parseJson(text));
    if (value["digest"] !== digest) return undefined;
    return arrayOr(value["crates"]).flatMap(item => {
      const { name, metadata } = objectOr(item);
      return typeof name === "string" ? [{ name, metadata }] : [];
    });
  }

  async #store(folder: string, digest: string, crates: readonly CrateMetadata[]): Promise<void> {
    const text = JSON.stringify({ digest, crates });
    if (text.length > MAX_LENGTH) return;
    const { cache, date, log } = this.deps;
    await writeStored(cache, { url: addressOf(folder), text, fetchedAt: date() }).catch((error: unknown) =>
      log("warn", "The recommendations of crates could not be stored", { folder, error: String(error) }),
    );
  }
}

/** One stored result per project; a changed `Cargo.lock` replaces it. */
const addressOf = (folder: string): string => `cargo-lock:${folder}`;

function cratesIn(metadata: unknown, { uses }: LockedProject): readonly CrateMetadata[] {
  const found = new Map<string, CrateMetadata>();
  for (const item of arrayOr(objectOr(metadata)["packages"])) {
    const { name, metadata: own } = objectOr(item),
      symposium = objectOr(own)["symposium"];
    // The first of several versions is used.
    if (typeof name === "string" && isObject(symposium) && uses(name) && !found.has(crateKey(name)))
      found.set(crateKey(name), { name, metadata: { symposium } });
  }
  return [...found.values()];
}
