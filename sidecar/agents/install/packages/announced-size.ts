/** The size of an installation, as its registry or server announces it. Downloads nothing. */
import { fetchSecurely } from "../../../http/secure-fetch";
import { secureUrl } from "../../../http/secure-url";
import { homedir } from "node:os";
import { httpGet } from "../../../http/http-get";
import type { InstallerDeps } from "../install-options";
import type { Installable } from "../installable";
import { argumentOf } from "./npm-package";

/** Maximum time without output of npm. The user does not wait for it. */
const NPM_TIMEOUT_MS = 30_000;

type AnnouncedSizeDeps = Pick<InstallerDeps, "fetch" | "httpArchives" | "run" | "tools">;

/**
 * Bytes of the unpacked npm package without its dependencies, or of the archive. Undefined: unknown. npm uses the
 * user's mirrors and credentials. Rejects with the errors of `run` and `fetch`.
 */
export async function announcedSize(
  choice: Installable,
  signal: AbortSignal,
  deps: AnnouncedSizeDeps,
): Promise<number | undefined> {
  switch (choice.kind) {
    case "npx": {
      const command = (await deps.tools()).find("npm"),
        args = ["view", argumentOf(choice.spec), "dist.unpackedSize", "--json"];
      if (command === undefined) return undefined;
      const spec = { name: "npm", command, args, cwd: homedir(), env: {} };
      return lastNumber((await deps.run(spec, { signal, quietMs: NPM_TIMEOUT_MS })).stdout);
    }
    case "binary":
      return archiveSize(choice.of.archive, signal, deps);
    case "uvx":
    case "pipx":
    case "cargo":
      return undefined;
  }
}

/** npm prints a number, or a list of numbers for several versions, the newest last. */
function lastNumber(output: string): number | undefined {
  const value = Number(/(\d{1,12})\s*\]?\s*$/.exec(output)?.[1]);
  return value > 0 ? value : undefined;
}

async function archiveSize(
  archive: string,
  signal: AbortSignal,
  { fetch = httpGet(), httpArchives = false }: AnnouncedSizeDeps,
): Promise<number | undefined> {
  const url = secureUrl(archive, { loopback: httpArchives });
  if (!url) return undefined;
  const answer = await fetchSecurely(fetch, url, { accept: "*/*", "user-agent": "symposium" }, signal);
  if (!(answer instanceof Response)) return undefined;
  const length = Number(answer.headers.get("content-length") ?? "");
  await answer.body?.cancel().catch(() => undefined);
  return answer.status === 200 && Number.isSafeInteger(length) && length > 0 ? length : undefined;
}
