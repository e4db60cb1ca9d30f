/**
 * Names of MCP servers in one session. An agent lists the tools of each server under its name; of two servers with the
 * same name, one or both would be lost. Pure.
 */
import { arrayOr, objectOr } from "../rpc/json";

/** Appends these servers to those in `mcpServers`. A server whose name is taken is renamed. */
export function besideServers(mcpServers: unknown, added: readonly unknown[]): readonly unknown[] {
  const there = arrayOr(mcpServers),
    taken = new Set(there.map(server => objectOr(server).name));
  return [
    ...there,
    ...added.map(server => {
      const { name } = objectOr(server),
        free = typeof name === "string" ? freeName(name, taken) : name;
      taken.add(free);
      return free === name ? server : { ...objectOr(server), name: free };
    }),
  ];
}

/** `name_2`, not `name-2`, because that form names servers of other sessions of the same chain. */
function freeName(name: string, taken: ReadonlySet<unknown>): string {
  for (let n = 1; ; n++) {
    const first = n === 1 ? name : `${name}_${n}`;
    if (!taken.has(first)) return first;
  }
}
