/** Installs a program from a binary download of its publisher. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { BinaryDistribution } from "../../../../src/protocol/agents/distribution";
import type { InstallProgress } from "../../../../src/protocol/agents/agent-service";
import type { Clock } from "../../../rpc/clock";
import { relativeParts } from "../../distributions/folder-name";
import type { Bunzip } from "../archives/bunzip";
import type { Fetch } from "../../../http/http-get";
import { download } from "../archives/download";
import { programSize, type Files } from "../store/files";
import { noProgram } from "../store/install-error";
import { MANIFEST, type Built } from "../store/manifest";
import { archiveKind, unpack } from "../archives/unpack";

export interface BinaryDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly fetch?: Fetch | undefined;
  /** For tests: archives may use http on this computer. */
  readonly httpArchives?: boolean;
  readonly signal: AbortSignal;
  readonly progress: (progress: InstallProgress) => void;
  readonly platform: string;
  readonly bunzip?: Bunzip | undefined;
}

/** Name of the downloaded file in the folder. No entry may have this name. */
const ARCHIVE = ".archive";

/** `release`: version of the installation. */
export async function installBinary(
  folder: string,
  { archive, cmd, sha256 }: BinaryDistribution,
  release: string,
  { files, clock, fetch, httpArchives = false, signal, progress, platform, bunzip }: BinaryDeps,
): Promise<Omit<Built, "source">> {
  const parts = relativeParts(cmd);
  if (!parts) throw noProgram(l10n.t`“${cmd}” is not a path inside the archive.`);
  const archiveFile = path.join(folder, ARCHIVE);
  progress({ phase: "downloading", done: 0 });
  await download(archive, archiveFile, {
    sha256,
    signal,
    clock,
    files,
    httpArchives,
    ...(fetch ? { fetch } : {}),
    progress: (done, total) => progress({ phase: "downloading", done, ...(total === undefined ? {} : { total }) }),
  });
  progress({ phase: "unpacking" });
  await unpack(archiveFile, folder, {
    kind: archiveKind(new URL(archive).pathname),
    program: parts.join("/"),
    signal,
    files,
    platform,
    bunzip,
    reserved: [MANIFEST, ARCHIVE],
    progress: (done, total) => progress({ phase: "unpacking", done, total }),
  });
  await files.rm(archiveFile);
  return { release, program: await programIn(folder, parts, { files, platform }), runtimeArgs: [] };
}

/** Makes the program executable, because archives created on Windows contain no file modes. */
async function programIn(
  folder: string,
  parts: readonly string[],
  { files, platform }: Pick<BinaryDeps, "files" | "platform">,
): Promise<string> {
  for (const ending of platform === "win32" ? ["", ".exe", ".cmd"] : [""]) {
    const program = `${parts.join("/")}${ending}`,
      file = path.join(folder, program);
    if ((await programSize(file, files)) === undefined) continue;
    if (platform !== "win32") await files.chmod(file, 0o755);
    return program;
  }
  throw noProgram(l10n.t`The archive has no program “${parts.join("/")}”.`);
}
