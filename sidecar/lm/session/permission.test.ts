import { deepEqual, equal, ok } from "node:assert/strict";
import { PERMISSION_CANCELLED } from "../../agent-session/agent-answers";
import type { JsonObject } from "../../rpc/json";
import { ask, asked, chosen, GEMINI, OPTIONS } from "../../testing/sessions/permission-fixture";
import type { PermissionDeps } from "./permission";

suite("permission responses", () => {
  const option = (kind: string, optionId: string = kind) => ({ optionId, name: kind, kind });
  const table: readonly [name: string, options: unknown, allow: JsonObject, reject: JsonObject][] = [
    ["prefers once to always in any order", OPTIONS, chosen("yes"), chosen("no")],
    [
      "uses the first of two allow_once options",
      [option("reject_always"), option("allow_once", "a"), option("allow_once", "b"), option("reject_once")],
      chosen("a"),
      chosen("reject_once"),
    ],
    [
      "uses always if nothing else is offered",
      [option("allow_always"), option("reject_always")],
      chosen("allow_always"),
      chosen("reject_always"),
    ],
    ["cancels if no option rejects", [option("allow_once")], chosen("allow_once"), PERMISSION_CANCELLED],
    [
      "reads kinds, not names or ids",
      [
        { optionId: "allow_once", name: "Allow", kind: "reject_once" },
        { optionId: "no", name: "No", kind: "allow_once" },
        { name: "no id", kind: "allow_once" },
        null,
      ],
      chosen("no"),
      chosen("allow_once"),
    ],
  ];
  for (const [name, options, allow, reject] of table)
    test(name, () => {
      const verdict = asked(ask({ kind: "edit" }, {}, options));
      deepEqual([verdict.allow, verdict.reject], [allow, reject]);
    });

  for (const options of [
    [],
    null,
    "x",
    [option("reject_once", "no")],
    [option("allow", "yes"), option("reject_once", "no")],
  ])
    test(`rejects everything for options without an allow kind: ${JSON.stringify(options)}`, () => {
      for (const overrides of [{}, { policy: "allow" }] as const) {
        const verdict = ask(GEMINI("mcp_vsctools_rename"), overrides, options);
        equal(verdict.kind, "reject");
        deepEqual(
          verdict.kind === "reject" && verdict.answer,
          Array.isArray(options) && options.length > 0 ? chosen("no") : PERMISSION_CANCELLED,
        );
      }
    });

  test("names the command, else the title, else the file in a code span if VS Code cannot ask", () => {
    const of = (call: JsonObject): string => {
      const verdict = ask(call, { offered: new Set() });
      return verdict.kind === "reject" ? (verdict.sentence.split(" It was not allowed")[0] ?? "") : "";
    };
    equal(
      of({ kind: "execute", title: "Clean", rawInput: { command: "rm -rf `x`" } }),
      "Ada requested permission to run a command. Details: `` rm -rf `x` ``.",
    );
    equal(
      of({ kind: "edit", title: "Change\na file" }),
      "Ada requested permission to change files. Details: `Change a file`.",
    );
    equal(
      of({ kind: "edit", locations: [{ path: "/w/a.ts" }] }),
      "Ada requested permission to change files. Details: `/w/a.ts`.",
    );
    ok(of({ kind: "edit", title: "x".repeat(10_000) }).length < 300);
  });

  test("names the action and the reason in a rejection", () => {
    const of = (overrides: Partial<PermissionDeps>, options: unknown = OPTIONS) => {
      const verdict = ask({ kind: "execute" }, overrides, options);
      return verdict.kind === "reject" ? [verdict.sentence, verdict.answer] : [];
    };
    deepEqual(of({ offered: new Set() }), [
      "Ada requested permission to run a command. It was not allowed, because VS Code cannot ask you in this chat mode. To decide yourself, select Agent mode with Symposium's tools enabled, and send the message again.",
      chosen("no"),
    ]);
    deepEqual(of({ isForeign: true }), [
      "Ada requested permission to run a command. It was not allowed: Symposium cannot ask you when another extension uses the agent.",
      chosen("no"),
    ]);
    deepEqual(of({}, []), [
      "Ada requested permission to run a command. It was not allowed: it offered no option to allow it.",
      PERMISSION_CANCELLED,
    ]);
  });
});
