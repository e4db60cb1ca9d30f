/**
 * Assigns groups of permission tools (`protocol/lm/permission-tools.ts`) to agents that are not built in.
 *
 * VS Code stores standing approvals by tool, in the storage of the profile or of the workspace, possibly for ever. An
 * extension cannot revoke them. So an assignment is permanent and stored in both. The group of a removed agent is never
 * reassigned, even if another profile has assigned it differently in the same workspace. When all groups are assigned,
 * further agents have none.
 *
 * Both storages are read at each use, because another window may have written them. If two windows assign one group at
 * the same time, the later write wins, and the other agent gets a different group.
 *
 * Invariant: an agent has a group only while neither storage assigns the group to another agent.
 */
import { isObject } from "../protocol/wire/json";
import type { Log } from "../log";
import { ASSIGNED_GROUPS, BUILT_IN_GROUPS } from "../protocol/lm/permission-tools";
import type { KeyValueStore } from "../settings/store/persisted-controls";

/** Agent ids by group. */
export type Assignments = Readonly<Record<string, string>>;

export interface Assigned {
  /** Undefined: the agent has none. */
  readonly group: string | undefined;
  /** Must be stored if they differ from the input. */
  readonly profile: Assignments;
  readonly workspace: Assignments;
}

/** Pure. */
export function assign(agentId: string, profile: Assignments, workspace: Assignments): Assigned {
  const own = ASSIGNED_GROUPS.find(group => profile[group] === agentId);
  const group =
    own ?? ASSIGNED_GROUPS.find(free => profile[free] === undefined && (workspace[free] ?? agentId) === agentId);
  if (group === undefined || (workspace[group] ?? agentId) !== agentId) return { group: undefined, profile, workspace };
  return { group, profile: { ...profile, [group]: agentId }, workspace: { ...workspace, [group]: agentId } };
}

const KEY = "symposium.permissionTools";

export class ToolGroups {
  constructor(
    private readonly profile: KeyValueStore,
    private readonly workspace: KeyValueStore,
    private readonly log: Log,
  ) {}

  /** Undefined: the agent has no group. */
  groupOf(agentId: string): string | undefined {
    const builtIn = BUILT_IN_GROUPS.get(agentId)?.group;
    if (builtIn !== undefined) return builtIn;
    const before = { profile: read(this.profile), workspace: read(this.workspace) },
      { group, profile, workspace } = assign(agentId, before.profile, before.workspace);
    if (group === undefined) return undefined;
    if (before.profile[group] === undefined) this.#store(this.profile, profile);
    if (before.workspace[group] === undefined) this.#store(this.workspace, workspace);
    return group;
  }

  #store(memory: KeyValueStore, assignments: Assignments): void {
    memory
      .update(KEY, assignments)
      .then(undefined, (error: unknown) =>
        this.log.warn("lm", "Could not save the assigned permission tools", { error }),
      );
  }
}

/** An entry without a valid agent id counts as an assignment to an unknown agent, so that its group stays reserved. */
function read(memory: KeyValueStore): Assignments {
  const stored = memory.get(KEY);
  return isObject(stored)
    ? Object.fromEntries(
        ASSIGNED_GROUPS.filter(group => stored[group] !== undefined).map(group => [group, String(stored[group])]),
      )
    : {};
}
