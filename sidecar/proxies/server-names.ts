/**
 * Names of MCP servers in one session: an agent shows the tools of each under its server's name, and two of one name
 * would be one, or none. Pure.
 */
import { arrayOr, objectOr } from "../rpc/json";

/** These behind those that stand in `mcpServers` already; one whose name is taken gets another one. */
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

/** `name_2`, not `name-2`: so are those called that stand in other sessions of the same chain. */
function freeName(name: string, taken: ReadonlySet<unknown>): string {
  for (let n = 1; ; n++) {
    const one = n === 1 ? name : `${name}_${n}`;
    if (!taken.has(one)) return one;
  }
}
