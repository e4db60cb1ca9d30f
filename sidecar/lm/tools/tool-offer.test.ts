import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import fc from "fast-check";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { refusal, toMcp } from "./tool-results";
import { MAX_OPEN_CALLS, ToolOffer, ToolOffers, type OfferedCall } from "./tool-offer";

const tool = (name: string, inputSchema: unknown = {}): ChatTool => ({ name, description: name, inputSchema });
const never = () => new AbortController().signal;
const textOf = (result: { readonly content: readonly unknown[] }) =>
  (result.content[0] as { readonly text: string }).text;

function rig(...tools: ChatTool[]) {
  const calls: OfferedCall[] = [],
    left: string[] = [];
  const offer = new ToolOffer("vsctools", { tools, duplicates: false, called: call => calls.push(call) }, (name, why) =>
    left.push(`${name}: ${why}`),
  );
  return { offer, calls, left };
}

suite("ToolOffer", () => {
  test("reports a call with VS Code's name and accepts one response", async () => {
    const { offer, calls } = rig(tool("a.b"));
    const answered = offer.call("a_b", { x: 1 }, never());
    deepEqual(
      calls.map(({ toolName, args }) => [toolName, args]),
      [["a.b", { x: 1 }]],
    );
    calls[0]!.answer(toMcp("one"));
    calls[0]!.answer(toMcp("two"));
    equal(textOf(await answered), "one");
    equal(calls[0]!.signal.aborted, false);
  });

  test("rejects calls of unknown, removed, excluded and internal tools without calling VS Code", async () => {
    const { offer, calls, left } = rig(tool("a"), tool("b", 7), tool("symposium-agent-read"));
    offer.update([tool("b", 7), tool("c")], false);
    for (const [name, why] of [
      ["nobody", /Unknown tool “nobody”/],
      ["a", /“a” is not available in VS Code now/],
      ["b", /“b” is not available/],
      ["symposium-agent-read", /Unknown tool/],
    ] as const) {
      const result = await offer.call(name, {}, never());
      equal(result.isError, true);
      match(textOf(result), why);
    }
    deepEqual(calls, []);
    deepEqual(left, ["b: its schema is not an object"], "reported once, although offered twice");
    equal(offer.qualified.toolNamed("mcp__vsctools__a"), "a", "a tool that was withdrawn is still ours");
  });

  test("notifies its watchers only when the list changes", () => {
    const { offer } = rig(tool("a"));
    let changed = 0;
    using watching = offer.watch({ changed: () => changed++ });
    offer.update([tool("a"), tool("symposium-agent-read")], false);
    equal(changed, 0);
    deepEqual([...offer.permission], ["symposium-agent-read"]);
    offer.update([tool("a"), tool("b")], false);
    offer.update([tool("read_file")], false);
    offer.update([tool("read_file")], true);
    equal(changed, 3);
    watching[Symbol.dispose]();
    offer.update([], true);
    equal(changed, 3);
  });

  test("aborts a call that the agent cancels and frees its slot", async () => {
    const { offer, calls } = rig(tool("a")),
      withdrawn = new AbortController(),
      late = new AbortController();
    const answered = offer.call("a", {}, withdrawn.signal);
    withdrawn.abort();
    equal(calls[0]!.signal.aborted, true);
    equal((await answered).isError, true);
    calls[0]!.answer(toMcp("late"));
    late.abort();
    equal((await offer.call("a", {}, late.signal)).isError, true);
    equal(calls.length, 1, "nobody is asked for what was withdrawn before");
    const all = Array.from({ length: MAX_OPEN_CALLS }, () => offer.call("a", {}, never()));
    match(textOf(await offer.call("a", {}, never())), /64 calls already wait/);
    for (const call of calls.slice(1)) call.answer(toMcp("done"));
    equal((await Promise.all(all)).filter(result => result.isError).length, 0);
  });

  test("rejects open and later calls after it closes", async () => {
    const { offer, calls } = rig(tool("a"));
    let closed = 0;
    offer.watch({ closed: () => closed++ });
    const open = [offer.call("a", {}, never()), offer.call("a", {}, never())];
    offer.close();
    offer.close();
    equal(closed, 1);
    deepEqual(
      (await Promise.all(open)).map(result => result.isError),
      [true, true],
    );
    deepEqual(
      calls.map(({ signal }) => signal.aborted),
      [true, true],
    );
    match(textOf(await offer.call("a", {}, never())), /This chat has ended/);
  });

  test("settles each call by its first response or the end, for any order of responses", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat(19), { maxLength: 40 }), async (n, order) => {
        const { offer, calls } = rig(tool("a"));
        const answers = Array.from({ length: n }, (_, i) => offer.call("a", { i }, never())),
          given = order.filter(i => i < n);
        given.forEach((i, k) => calls[i]!.answer(k % 3 === 2 ? refusal(`${i} ${k}`) : toMcp(`${i} ${k}`)));
        offer.close();
        for (const [i, answer] of (await Promise.all(answers)).entries()) {
          const first = given.indexOf(i);
          if (first === -1) equal(answer.isError, true);
          else equal(textOf(answer), `${i} ${first}`);
        }
      }),
      { numRuns: 100 },
    );
  });
});

suite("ToolOffers", () => {
  test("creates unique keys and finds an offer until it closes", () => {
    const offers = new ToolOffers(() => undefined),
      terms = { tools: [], duplicates: false, called: () => undefined };
    const one = offers.open(terms),
      two = offers.open(terms);
    notEqual(one.key, two.key);
    match(one.key, /^[0-9a-f]{32}$/);
    equal(offers.find(one.key), one);
    one.close();
    equal(offers.find(one.key), undefined);
    equal(offers.find(two.key), two);
  });

  test("omits the server names of other programs", () => {
    const offers = new ToolOffers(() => undefined),
      terms = { tools: [], duplicates: false, called: () => undefined };
    equal(offers.open(terms).server, "vsctools");
    offers.addForeign("other");
    offers.addForeign("vsctools");
    equal(offers.open(terms).server, "vsctools2");
    deepEqual([offers.isForeign("other"), offers.isForeign("vsctools")], [false, true]);
  });
});
