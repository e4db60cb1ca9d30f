import { deepEqual } from "node:assert/strict";
import { Milestones } from "./milestones";

suite("milestones of the walkthrough", () => {
  test("each is told once: that another agent than Eliza is chosen, and that one has answered", () => {
    const set: unknown[] = [], milestones = new Milestones((key, value) => set.push([key, value]));
    milestones.agent("elizacp");
    milestones.event({ type: "upsert", entry: { kind: "user", id: "u", text: "hi" } });
    deepEqual(set, []);
    for (const id of ["ada", "codex", "elizacp"]) milestones.agent(id);
    for (const text of ["a", "b"]) milestones.event({ type: "upsert", entry: { kind: "agent", id: "a", text } });
    deepEqual(set, [["symposium.agentChosen", true], ["symposium.answered", true]]);
  });
});
