/** Options and dependencies of the installer. */
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import type { Platform } from "../../../src/protocol/agents/distribution";
import type { Clock } from "../../rpc/clock";
import { type Tool } from "../distributions/choose";
import type { Fetch } from "../../http/http-get";
import type { Bunzip } from "./archives/bunzip";
import type { Files } from "./store/files";
import type { RunTool } from "./packages/package-tool";
import type { Store } from "./store/store";

/** Absolute paths of programs on the PATH of the user's login shell. */
export interface Tools {
  find(name: Tool | "node"): string | undefined;
}

export interface InstallerDeps {
  readonly store: Store;
  /** Platforms whose programs run here, the best first: see `platformsFor`. */
  readonly platforms: readonly Platform[];
  /** Value of `process.platform`. */
  readonly platform: string;
  readonly clock: Clock;
  readonly files: Files;
  readonly fetch?: Fetch;
  /** For tests: archives may use http on this computer. */
  readonly httpArchives?: boolean;
  /** Default: decompresses in this thread. */
  readonly bunzip?: Bunzip;
  readonly tools: () => Promise<Tools>;
  /** Programs on the PATH of this process. If given, an installed version starts without the login shell. */
  readonly ownTools?: Tools;
  readonly run: RunTool;
  /** Home folder of the user's cargo. Absent: launch metadata of crates, which only extensions use, is ignored. */
  readonly cargoHome?: () => Promise<string>;
  /** `progress` is undefined when no installation is running. */
  readonly report: (id: string, progress: InstallProgress | undefined) => void;
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/** Settings of an agent or extension that affect its installation. */
export type InstallConfig = Pick<AgentConfig, "id" | "name" | "distribution" | "version">;

/**
 * The installed versions that may start: `requested`, the configured one; `any`, each version of the same package, if
 * the configuration can become newer without a request of the user.
 */
export type AcceptedVersion = "requested" | "any";

/**
 * `missing`: installs only if missing. `newest`: checks for a newer version if none is pinned. `anew`: replaces the
 * installed version after the new one is complete. `version`: an exact version, which an unpinned npm package gets
 * unless its installed version is not older; other configurations are installed if missing.
 */
export type InstallMode = "missing" | "newest" | "anew" | { readonly version: string };
