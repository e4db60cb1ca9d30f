import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { Log } from "../log";
import { ASSIGNED_GROUPS, BUILT_IN_GROUPS } from "../protocol/lm/permission-tools";
import { assign, ToolGroups, type Assignments } from "./tool-groups";

class Stored {
  #values: Readonly<Record<string, unknown>> = {};
  get(key: string): unknown {
    return this.#values[key];
  }
  update(key: string, value: unknown): Promise<void> {
    this.#values = { ...this.#values, [key]: value };
    return Promise.resolve();
  }
}

suite("ToolGroups", () => {
  const groups = (profile = new Stored(), workspace = new Stored()) => new ToolGroups(profile, workspace, new Log());

  test("uses the fixed group of a built-in agent", () => {
    for (const [id, { group }] of BUILT_IN_GROUPS) equal(groups().groupOf(id), group);
  });

  test("keeps an agent's group across windows and workspaces until all are assigned", () => {
    const profile = new Stored(),
      ids = Array.from({ length: ASSIGNED_GROUPS.length + 2 }, (_, i) => `agent ${i}`),
      first = groups(profile);
    deepEqual(
      ids.map(id => first.groupOf(id)),
      [...ASSIGNED_GROUPS, undefined, undefined],
    );
    const later = groups(profile);
    deepEqual(
      ids.toReversed().map(id => later.groupOf(id)),
      [undefined, undefined, ...ASSIGNED_GROUPS.toReversed()],
    );
  });

  test("neither uses nor reassigns a group of another profile in the workspace", () => {
    const workspace = new Stored(),
      toolGroups = groups(new Stored(), workspace),
      otherGroups = groups(new Stored(), workspace);
    deepEqual(
      [toolGroups.groupOf("a"), otherGroups.groupOf("b"), otherGroups.groupOf("a"), toolGroups.groupOf("a")],
      ["custom1", "custom2", "custom1", "custom1"],
    );
    const known = new Stored();
    equal(groups(known, new Stored()).groupOf("b"), "custom1");
    equal(groups(known, workspace).groupOf("b"), undefined);
  });

  test("drops an assignment that another window replaced", () => {
    const profile = new Stored(),
      here = groups(profile);
    equal(here.groupOf("a"), "custom1");
    void profile.update("symposium.permissionTools", { custom1: "b" });
    deepEqual([here.groupOf("b"), here.groupOf("a")], [undefined, "custom2"]);
  });

  test("never assigns a group with an unreadable entry again", () => {
    const profile = new Stored();
    void profile.update("symposium.permissionTools", { custom1: 7, custom2: null, elsewhere: "a" });
    deepEqual([groups(profile).groupOf("a"), groups(profile).groupOf("b")], ["custom3", "custom4"]);
  });

  test("never shares an approved tool between agents (property)", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            profile: fc.nat(2),
            workspace: fc.nat(2),
            agent: fc.constantFrom("a", "b", "c", "d", "__proto__", "constructor", ""),
          }),
          { maxLength: 60 },
        ),
        uses => {
          const profiles: Assignments[] = [{}, {}, {}],
            workspaces: Assignments[] = [{}, {}, {}],
            approved = new Map<string, string>();
          for (const { profile, workspace, agent } of uses) {
            const { group, ...stored } = assign(agent, profiles[profile]!, workspaces[workspace]!);
            profiles[profile] = stored.profile;
            workspaces[workspace] = stored.workspace;
            // VS Code stores an approval of the group's tools in the profile's and in the workspace's storage.
            for (const place of group === undefined
              ? []
              : [`profile ${profile} ${group}`, `workspace ${workspace} ${group}`]) {
              equal(approved.get(place) ?? agent, agent);
              approved.set(place, agent);
            }
          }
        },
      ),
      { numRuns: 2_000 },
    ));
});
