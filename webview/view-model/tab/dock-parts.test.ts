import { deepEqual, equal, ok } from "node:assert/strict";
import { dockParts, formOf, MAX_STEPS } from "./dock-parts";
import { bypassView } from "./dock-view";
import { reviewView } from "./review-view";

const NOTHING = {
  status: "",
  bypassed: undefined,
  usage: undefined,
  plan: undefined,
  queue: undefined,
  review: undefined,
  following: undefined,
  details: { details: undefined, agent: "Ada", cwd: "/" },
  firstScreen: undefined,
} as const;
const step = (status: string, content = status) => ({ content, priority: "medium", status });
const review = reviewView({ review: { files: 4, added: 31, removed: 7, turns: [] }, entries: [] });
const prompt = (text: string) => ({ prompt: { messageId: text, text }, state: "waiting" as const });

suite("dock parts", () => {
  const texts = (view: Partial<Parameters<typeof dockParts>[0]>) =>
    dockParts({ ...NOTHING, ...view }).map(({ full, short }) => [full, short]);

  test("are none while there is nothing to show", () => {
    deepEqual(dockParts(NOTHING), []);
  });

  test("have a full and a short text, in the order of the row", () => {
    deepEqual(
      texts({
        status: "Ada is working…",
        bypassed: bypassView(["session"], "Ada"),
        usage: { used: 42_000, size: 200_000, cost: { amount: 0.37, currency: "USD" } },
        plan: [step("completed"), step("in_progress", "Change the expression"), step("pending")],
        queue: { held: false, prompts: [prompt("a"), prompt("b")] },
        review,
        following: false,
        details: { ...NOTHING.details, details: { extensions: [] } },
      }),
      [
        ["Ada is working…", "Working…"],
        ["Permissions bypassed in this session", ""],
        ["42k/200k · $0.37", "21 %"],
        ["1/3 Change the expression", "1/3"],
        ["2 queued", "2"],
        ["4 files +31 −7", "4"],
        ["Follow", ""],
        ["Details", ""],
      ],
    );
    deepEqual(texts({ plan: [step("completed")] }), [["1/1", "1/1"]]);
    deepEqual(texts({ usage: { used: 5, size: 0 } }), [["5 tokens", "5"]]);
  });

  test("have names that contain the visible text, for voice control", () => {
    const parts = dockParts({
      ...NOTHING,
      bypassed: bypassView(["session"], "Ada"),
      usage: { used: 42_000, size: 200_000, cost: { amount: 0.37, currency: "USD" } },
      plan: [step("completed"), step("in_progress", "Change the expression")],
      queue: { held: true, prompts: [prompt("a")] },
      review,
      following: true,
      details: { ...NOTHING.details, details: { extensions: [] } },
    });
    for (const { name, full, short } of parts)
      for (const text of [full, short]) ok(name.includes(text), `${text}: ${name}`);
  });

  test("warn about a held queue", () => {
    const [held] = dockParts({ ...NOTHING, queue: { held: true, prompts: [prompt("a")] } });
    deepEqual([held?.full, held?.tone], ["1 held", "warning"]);
  });

  test("omit the details on the first screen, which has its own line", () => {
    const details = { ...NOTHING.details, details: { extensions: [] } };
    const firstScreen = { agents: [], isDemo: false, suggestions: [], extensions: undefined };
    deepEqual(texts({ details, firstScreen }), []);
  });

  test("become shorter one at a time until icons and counts remain", () => {
    const forms = (steps: number) =>
      (["usage", "plan", "queue", "review", "details"] as const).map(id => formOf(id, steps));
    deepEqual(forms(0), ["full", "full", "full", "full", "full"]);
    deepEqual(forms(1), ["full", "full", "full", "full", "icon"]);
    deepEqual(forms(MAX_STEPS), ["icon", "icon", "short", "short", "icon"]);
    equal(formOf("plan", MAX_STEPS - 1), "short");
  });
});
