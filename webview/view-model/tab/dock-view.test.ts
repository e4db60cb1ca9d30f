import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { bypassView, planView, usageView } from "./dock-view";

const step = (status: string, content = status) => ({ content, priority: "medium", status });

suite("dock view", () => {
  test("shows the progress of a plan and its current or next step", () => {
    const view = planView([step("completed"), step("pending", "later"), step("in_progress", " now\n<b>\u202e ")]);
    deepEqual([view.progress, view.current], ["1/3", "now <b>⟦U+202E⟧"]);
    deepEqual(
      view.steps.map(({ mark, state, spokenText }) => [mark, state, spokenText]),
      [
        ["✓", "done", "done"],
        ["○", "open", "to do"],
        ["◐", "current", "in progress"],
      ],
    );
    equal(planView([step("completed"), step("pending", "later")]).current, "later");
    deepEqual([planView([step("completed")]).current, planView([step("toString")]).steps[0]?.mark], ["", "○"]);
  });

  test("shows the sources of a permission bypass and the setting to change it", () => {
    equal(bypassView([], "Ada"), undefined);
    deepEqual(bypassView(["workspace"], "Ada"), {
      text: "Permissions bypassed",
      endsHere: false,
      isSet: true,
      tooltip:
        "The extension Workspace changes files and runs commands without asking you. Change this in the settings.",
    });
    match(
      bypassView(["cargo", "sparkle"], "Ada")?.tooltip ?? "",
      /Cargo runs code and changes dependencies without asking you\. The extension Sparkle writes/,
    );
    equal(
      bypassView(["agent", "workspace"], "A\u202eda")?.tooltip,
      "A⟦U+202E⟧da acts without asking you. The extension Workspace changes files and runs commands without asking you. Change this in the settings.",
    );
    deepEqual(bypassView(["session"], "Ada"), {
      text: "Permissions bypassed in this session",
      endsHere: true,
      isSet: false,
      tooltip:
        "Ada acts without asking you. The bypass of this session ends with Ask Again, or when you close the tab or the window.",
    });
    deepEqual(bypassView(["session", "agent"], "Ada"), {
      text: "Permissions bypassed",
      endsHere: true,
      isSet: true,
      tooltip:
        "Ada acts without asking you. The bypass of this session ends with Ask Again, or when you close the tab or the window. Change this in the settings.",
    });
  });

  test("shows the usage in short and complete form", () => {
    const view = usageView({ used: 12_345, size: 200_000, cost: { amount: 0.3412, currency: "USD" } });
    deepEqual([view.short, view.shortest], ["12k/200k · $0.34", "6 %"]);
    equal(view.full, "The agent's context holds 12,345 of 200,000 tokens, 6 %. This session has cost $0.34 so far.");
    deepEqual(
      [view.tone, usageView({ used: 5, size: 0 }).short, usageView({ used: 5, size: 0 }).part],
      ["plain", "5 tokens", undefined],
    );
  });

  test("warns above 80 % and rounds down to below full", () => {
    deepEqual([usageView({ used: 80, size: 100 }).tone, usageView({ used: 81, size: 100 }).tone], ["plain", "warning"]);
    equal(
      usageView({ used: 999, size: 1_000 }).full,
      "The agent's context holds 999 of 1,000 tokens, 99 %. The context is nearly full.",
    );
    const count = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }); // the range that the sidecar accepts
    fc.assert(
      fc.property(count, count, (used, size) => {
        const { part } = usageView({ used, size });
        return part === undefined || (part >= 0 && part <= 1);
      }),
    );
  });
});
