import { deepEqual, equal, ok } from "node:assert/strict";
import { Chronicle } from "./fixtures/session-records";
import { recorded, recordedRequest, SITUATIONS, type RecordedStep } from "./fixtures/recorded";
import { identityOf } from "./history/request-identity";

/** The expected match of every recorded request, by its number. `s1` is the first session of the situation. */
const STORY: Readonly<Record<string, string>> = {
  "agent-mode": "170 side title, 171 new",
  "ask-agent-from-picker": "179 side title, 180 new, 181 continue s1, 182 resume s1",
  "ask-mode": "163 side title, 164 new, 165 continue s1",
  "attach-file": "183 side title, 184 new, 185 continue s1",
  "attach-hash-file-and-tool": "186 side title, 187 new",
  "commit-message": "272 side other",
  "compact-command":
    "206 side title, 207 new, 208 continue s1, 209 resume s1, 210 summary, 211 continue s1, 212 continue s1, 213 resume s1",
  "compaction-mid-45000":
    "224 side title, 225 new, 226 continue s1, 227 continue s1, 228 continue s1, 229 summary, 230 continue s1, 231 continue s1, 232 continue s1, " +
    "233 resume s1, 234 summary of the conversation, 235 resume s1, 236 summary, 237 resume s1, 238 continue s1",
  "compaction-tiny-12000":
    "214 side title, 215 new, 216 summary, 217 continue s1, 218 summary, 219 resume s1, 220 summary, 221 resume s1, 222 summary, 223 continue s1",
  "confirm-allow": "22 side title, 23 new, 24 resume s1",
  "confirm-allow-session-then-again": "35 side title, 36 new, 37 resume s1, 38 continue s1, 39 resume s1",
  "confirm-skip": "25 side title, 26 new, 27 resume s1, 28 continue s1",
  "confirm-stop": "32 side title, 33 new, 34 resume s1",
  "custom-instructions": "292 side title, 293 new",
  "edit-earlier-message":
    "100 side title, 101 new, 102 continue s1, 103 continue s1, 104 fork s1 after 1, in its place, 105 continue s2",
  "edit-mode": "166 side title, 167 new",
  "empty-after-tool":
    "93 side title, 94 new, 95 resume s1, 96 continue s1, 97 continue s1, 98 resume s1, 99 continue s1",
  "empty-answer": "62 side title, 63 new, 64 continue s1, 65 continue s1, 66 continue s1",
  "first-message": "1 side progress, 2 side progress, 3 new",
  "fork-conversation":
    "135 side title, 136 new, 137 continue s1, 138 resume s1, 139 continue s1, 140 fork s1 after 2, 141 continue s2, 142 resume s2",
  "fork-slash": "143 new, 144 continue s1, 145 resume s1",
  "inline-chat": "269 side progress, 270 new, 271 side progress",
  "long-answer": "67 side title, 68 new, 69 continue s1",
  "model-switch": "157 side title, 158 new, 159 continue s1, 160 resume s1, 161 new, 162 behind s1 from 2",
  "one-tool": "5 new, 6 resume s1",
  "only-call-no-text": "89 side title, 90 new, 91 resume s1, 92 continue s1",
  "other-extension": "204 new, 205 new",
  "plan-mode": "168 side title, 169 new",
  "restore-checkpoint":
    "112 side title, 113 new, 114 continue s1, 115 resume s1, 116 continue s1, 117 fork s1 after 1, in its place",
  retry:
    "106 side title, 107 new, 108 continue s1, 109 continue s1, 110 fork s1 after 2, in its place, 111 continue s2",
  "second-turn": "4 new",
  selection: "188 side title, 189 new, 190 continue s1",
  "server-restart": "258 side progress, 259 side progress, 260 new, 261 new",
  "steer-while-tool-runs": "52 side title, 53 new, 54 resume s1",
  "stop-mid-stream": "43 side title, 44 new, 45 continue s1",
  "stop-while-tool-runs": "49 side title, 50 new, 51 resume s1",
  subagent: "191 side title, 192 new, 193 new, beside, 194 resume s2, 195 resume s1, 196 continue s1",
  "thinking-and-parts-after-call": "84 side title, 85 new, 86 resume s1, 87 resume s1, 88 continue s1",
  "three-parallel-tools": "7 new, 8 resume s1",
  "three-rounds": "9 new, 10 resume s1, 11 resume s1, 12 resume s1",
  throw: "55 side title, 56 new, 57 continue s1, 58 continue s1, 59 continue s1",
  "throw-lmerror": "60 side title, 61 new",
  "tool-schema-error": "74 side title, 75 new, 76 resume s1",
  "tool-unknown": "77 side title, 78 new, 79 resume s1",
  "tool-unticked": "287 side title, 288 new, 289 resume s1, 290 continue s1, 291 resume s1",
  "tools-odd-schemas-image-throw": "70 side title, 71 new, 72 resume s1, 73 continue s1",
  "two-chats-same-words": "146 side title, 147 new, 148 side title, 149 new, 150 continue s2",
  "user-image-attachment": "311 side title, 312 new, 313 continue s1",
  "utility-copilot": "176 new",
  "utility-explicit-model": "177 side title, 178 new",
  "utility-none": "172 new, 173 continue s1",
  "utility-unset": "174 new, 175 continue s1",
  "window-reload":
    "248 side progress, 249 side progress, 250 new, 251 continue s1, 252 resume s1, 253 side progress, 254 side progress, 255 continue s1, 256 continue s1, 257 resume s1",
};

/** Replays the chat's requests and their answers, and returns the match of each request. */
function play(
  chronicle: Chronicle,
  steps: readonly RecordedStep[],
  onEvent: (n: number, id: string) => void = () => undefined,
): string {
  const serving = new Map<number, string>(),
    cancelled = new Set<number>(),
    story: string[] = [];
  for (const step of steps) {
    switch (step.kind) {
      case "request": {
        const { kind, session } = chronicle.receive(step.request);
        story.push(`${step.n} ${kind}`);
        if (!session) break;
        serving.set(step.n, session.id);
        onEvent(step.n, session.id);
        break;
      }
      case "cancel":
        cancelled.add(step.n);
        break;
      case "end": {
        const id = serving.get(step.n),
          { answered } = step;
        if (id === undefined) break;
        chronicle.report(id, ...answered);
        if (answered.some(({ type }) => type === "tool_call")) chronicle.wait(id);
        else
          chronicle.end(
            id,
            step.isResolved &&
              !cancelled.has(step.n) &&
              answered.some(part => part.type === "text" && part.value !== "")
              ? "answered"
              : "cut",
          );
        break;
      }
      case "other":
        break;
    }
  }
  return story.join(", ");
}

suite("recorded VS Code requests", () => {
  test("covers every recorded situation", () => deepEqual(Object.keys(STORY), SITUATIONS));

  for (const [situation, story] of Object.entries(STORY))
    test(situation, () => equal(play(new Chronicle(), recorded(situation)), story));

  test("matches one conversation through five situations: answers, one tool, parallel tools, rounds", () =>
    equal(
      play(
        new Chronicle(),
        ["first-message", "second-turn", "one-tool", "three-parallel-tools", "three-rounds"].flatMap(recorded),
      ),
      "1 side progress, 2 side progress, 3 new, 4 continue s1, 5 continue s1, 6 resume s1, 7 continue s1, 8 resume s1, 9 continue s1, 10 resume s1, 11 resume s1, 12 resume s1",
    ));

  test("continues a chat that reopens after an editor restart, beside a new chat", () => {
    const chronicle = new Chronicle();
    play(chronicle, recorded("window-reload"));
    chronicle.restart();
    equal(
      play(chronicle, recorded("server-restart")),
      "258 side progress, 259 side progress, 260 new, 261 continue s1",
    );
  });

  test("forks the whole session for a fork of a fork at its end", () =>
    ok(
      play(new Chronicle(), ["fork-conversation", "fork-slash"].flatMap(recorded)).endsWith(
        "142 resume s2, 143 fork s2 after 4, whole, 144 continue s3, 145 resume s3",
      ),
    ));

  test("never shares a session between chats or models, with all situations interleaved", () => {
    const all = SITUATIONS.flatMap(situation =>
      recorded(situation)
        .filter(step => step.kind !== "other")
        .map(step => ({ situation, step })),
    ).sort((a, b) => a.step.n - b.step.n);
    const requests = new Map(
        all.flatMap(({ step }) => (step.kind === "request" ? [[step.n, step.request] as const] : [])),
      ),
      servedBy = new Map<string, Set<string>>();
    const story = play(
      new Chronicle(),
      all.map(({ step }) => step),
      (n, id) => {
        const request = requests.get(n),
          identity = request && identityOf(request);
        servedBy.set(
          id,
          (servedBy.get(id) ?? new Set()).add(
            `${request?.modelId} ${identity?.chatSession ?? identity?.conversationId ?? `${identity?.caller} ${n}`}`,
          ),
        );
      },
    );
    deepEqual(
      [...servedBy.values()].filter(chats => chats.size > 1),
      [],
    );
    ok(story.includes("261 continue") && story.includes("143 fork"));
  });

  test("starts another session when the same extension host repeats a streaming request", () => {
    const chronicle = new Chronicle(),
      request = recordedRequest("first-message", 3);
    deepEqual([chronicle.receive(request).kind, chronicle.receive(request).kind], ["new", "new"]);
  });
});
