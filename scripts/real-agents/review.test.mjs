// Reviews the changes that published agents make with their own edit tool and with a shell command. The built sidecar
// lists the changed lines, undoes one of three hunks, undoes this undo, and then undoes everything.
import { deepEqual, equal, match } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AGENTS } from "./agents.mjs";
import { testsOf } from "./matrix.mjs";
import { withSidecar } from "./sidecar.mjs";
import { onStage } from "./stage.mjs";

const WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november".split(" ");
/** The words, one a line, with these replacements. */
const edited = replacements => WORDS.map(word => `${replacements[word] ?? word}\n`).join("");
const EDITS = { bravo: "bravo, edited", golf: "golf, edited\nwith another line", mike: "mike, edited" };
const { golf: _, ...OUTER_EDITS } = EDITS;
/** The second hunk. Lines count from 0. */
const GOLF = { reviewed: { start: 6, end: 7 }, current: { start: 6, end: 8 } };

const START = { "hunks.txt": edited({}), "command.txt": "one\n", "unchanged.txt": "the same\n" };
const CHANGED = { ...START, "hunks.txt": edited(EDITS), "command.txt": "one\ntwo\n" };
const SCENARIOS = {
  review: [
    { text: "I will read a file.", calls: [{ kind: "read", path: "$FOLDER/hunks.txt" }] },
    ...Object.entries(EDITS).map(([old, text]) => ({
      calls: [{ kind: "edit", path: "$FOLDER/hunks.txt", old, new: text }],
    })),
    { calls: [{ kind: "shell", command: "echo two >> command.txt" }] },
    { text: "The files are changed. END-OF-REVIEW" },
  ],
};

for (const agent of AGENTS)
  suite(`${agent.name} with a review`, () => {
    testsOf(agent)("review", "lists edits and the changes of a command, and undoes one hunk and then all", () =>
      onStage(
        agent,
        async stage => {
          const local = { command: path.join(stage.bin, agent.program), args: agent.args },
            options = {
              home: path.join(stage.folder, "home"),
              temporary: path.join(stage.folder, "t"),
              agentId: agent.id,
              extensions: [],
            };
          for (const [name, text] of Object.entries(START)) writeFileSync(path.join(stage.workspace, name), text);
          const contents = () =>
            Object.fromEntries(
              Object.keys(START).map(name => [name, readFileSync(path.join(stage.workspace, name), "utf8")]),
            );
          await withSidecar(options, async sidecar => {
            const listed = async () => {
              const { reviews } = await sidecar.request("review/list", { folders: [stage.workspace] });
              return reviews.flatMap(({ files }) =>
                files.map(file => `${file.path} +${file.added} −${file.removed} of turn ${file.turns}`).sort(),
              );
            };
            const chat = {
              conversation: randomUUID(),
              agent: { id: agent.id, name: agent.name, distribution: { local } },
              cwd: stage.workspace,
            };
            const { sessionId } = await sidecar.request("chat/new", chat);
            await sidecar.prompt(sessionId, "Please do the thing. @@scenario:review");
            match(sidecar.answers, /END-OF-REVIEW/);
            const { id, files, limits } = await sidecar.reviewed(({ isRunning }) => !isRunning);
            const all = ["command.txt +1 −0 of turn 1", "hunks.txt +4 −3 of turn 1"];
            deepEqual(contents(), CHANGED);
            deepEqual(await listed(), all);
            // On a slow machine the prompt does not wait for the first snapshot, which still precedes the first edit.
            deepEqual(
              limits.filter(({ kind }) => kind !== "late"),
              [],
            );
            const { root } = files[0],
              hunk = { id, files: [{ root, path: "hunks.txt" }], hunks: [GOLF] };

            const undone = await sidecar.request("review/undo", hunk);
            deepEqual(undone.remaining, []);
            deepEqual(contents(), { ...CHANGED, "hunks.txt": edited(OUTER_EDITS) });
            deepEqual(await listed(), [all[0], "hunks.txt +2 −2 of turn 1"]);

            const reverted = await sidecar.request("review/revert", { id, operation: undone.operation });
            deepEqual(reverted.remaining, []);
            deepEqual(contents(), CHANGED);
            deepEqual(await listed(), all);

            const emptied = await sidecar.request("review/undo", { id });
            deepEqual([emptied.files, emptied.remaining], [2, []]);
            deepEqual(contents(), START);
            equal((await listed()).length, 0);
          });
        },
        SCENARIOS,
      ),
    );
  });
