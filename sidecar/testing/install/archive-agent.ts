/** An agent that is installed from an archive. */
import { equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { tarGz } from "./archives";
import { agent, type InstallFixture } from "./install-fixture";
import type { TryLock } from "../../agents/install/store/locks";

/** The files of its archive. */
export const entries = (version: string) => [
  { name: "bin/agent", content: version.repeat(5000), mode: 0o755 },
  { name: "lib/a", content: "a" },
  { name: "lib/b", content: "b" },
];
export const archiveAgent = (fixture: InstallFixture, version: string, plan = {}) =>
  agent(
    {
      binary: {
        "linux-x86_64": {
          archive: fixture.server.serve(`/${version}.tar.gz`, { content: tarGz(entries(version)), ...plan }),
          cmd: "bin/agent",
        },
      },
    },
    { version },
  );

/** Locks in memory, which end with the process. */
export function memoryLock(): TryLock {
  const held = new Set<string>();
  return async name => {
    if (held.has(name)) throw Object.assign(new Error("held"), { code: "ELOCKED" });
    held.add(name);
    return async () => {
      held.delete(name);
    };
  };
}

/** Asserts that every version in the store is complete and that the newest is allowed. Returns the newest. */
export async function isOldOrNew(fixture: InstallFixture, allowed: readonly string[]): Promise<string> {
  const list = await fixture.store({ tryLock: memoryLock() }).list("some-agent");
  for (const { folder, release } of list) {
    for (const { name, content } of entries(release)) equal(readFileSync(path.join(folder, name), "utf8"), content);
  }
  const [newest] = list;
  ok(newest && allowed.includes(newest.release), `newest: ${newest?.release}`);
  return newest.release;
}
