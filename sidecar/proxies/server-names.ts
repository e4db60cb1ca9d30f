/**
 * Unique names for the MCP servers of one session. If two servers have the same name, agents lose the tools of one or
 * both. Pure.
 */
import { arrayOr, objectOr } from "../rpc/json";

/** Appends servers to `mcpServers`. A server whose name is in use is renamed. */
export function besideServers(mcpServers: unknown, added: readonly unknown[]): readonly unknown[] {
  const existing = arrayOr(mcpServers),
    used = new Set(existing.map(server => objectOr(server).name));
  return [
    ...existing,
    ...added.map(server => {
      const { name } = objectOr(server),
        free = typeof name === "string" ? freeName(name, used) : name;
      used.add(free);
      return free === name ? server : { ...objectOr(server), name: free };
    }),
  ];
}

/** `name_2`, because `name-2` names servers of other sessions of the same chain. */
function freeName(name: string, used: ReadonlySet<unknown>): string {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}_${n}`;
    if (!used.has(candidate)) return candidate;
  }
}
