import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Entry, Permission } from "../../../src/protocol/chat/chat";
import type { Elicitation } from "../../../src/protocol/chat/elicitation";
import type { Card } from "./card";
import { ANSWERABLE } from "../../testing/render-context";
import { cardsOf } from "./render";
import { elicitationCard, permissionCard } from "./render-question";

const form: Elicitation = {
  kind: "elicitation",
  id: "e",
  agent: "Claude",
  message: "Which **one**?",
  ask: { mode: "form", fields: [{ type: "text", name: "n", title: "Name", required: true }] },
};
const page: Elicitation = {
  ...form,
  message: "Sign in.",
  ask: { mode: "url", url: "https://login.example.org/a?b=c", elicitationId: "1" },
};

suite("agent questions", () => {
  test("shows a form with its sender, open while it can be answered", () => {
    const card = elicitationCard(form, ANSWERABLE);
    deepEqual(
      [card.header?.text, card.header?.tone, card.body, card.form?.open, card.form?.asks, card.buttons],
      ["**Claude** has a question", "warning", "Which **one**?", true, "Claude asks: Which **one**?", []],
    );
    const later = elicitationCard(form, { ...ANSWERABLE, answering: true });
    deepEqual([later.form?.open, later.body], [false, "Which **one**?\n\n*Sending your answer…*"]);
  });

  test("names the agent that requires a sign-in", () => {
    const card = elicitationCard({ ...form, ask: { mode: "form", purpose: "signIn", fields: [] } }, ANSWERABLE);
    deepEqual([card.header?.text, card.form?.asks], ["Sign in to **Claude**", "Claude asks: Which **one**?"]);
  });

  test("shows host and address of a page and asks before opening it", () => {
    const card = elicitationCard(page, ANSWERABLE);
    deepEqual(
      card.buttons.map(({ id, label }) => [id, label]),
      [
        ["page:open", "Open in Browser"],
        ["page:decline", "Decline"],
      ],
    );
    equal(card.body, "Sign in.\n\nPage on **login\\.example\\.org**:\n\n```text\nhttps://login.example.org/a?b=c\n```");
    deepEqual(elicitationCard(page, { ...ANSWERABLE, answerable: false }).buttons, []);
  });

  test("warns about a misleading address", () => {
    const body = (url: string) =>
      elicitationCard({ ...page, ask: { mode: "url", url, elicitationId: "1" } }, ANSWERABLE).body;
    ok(
      body("https://bank.example@evil.example/").includes("Page on **evil\\.example**") &&
        body("https://bank.example@evil.example/").includes("before the “@”"),
    );
    ok(body("https://аpple.com/").includes("**xn\\-\\-pple\\-43d\\.com**"));
    ok(
      body("http://example.org/").includes("not encrypted") && !body("https://example.org/").includes("not encrypted"),
    );
    ok(body("not an address").includes("an invalid URL"));
  });

  test("shows hidden characters in every part", () => {
    const hidden = [
      "\u3164",
      "\u2800",
      "\u180E",
      "\uFE0F",
      "\u115F",
      "\u034F",
      "\u00AD",
      "\u{E0041}",
      "\u202E",
      "\u00A0",
    ];
    for (const character of hidden) {
      const text = `rm${character.repeat(20)}x`,
        diff = { kind: "diff", path: text, newText: text } as const;
      const permission: Permission = {
        kind: "permission",
        id: "p",
        agent: text,
        toolEntryId: "t",
        title: text,
        toolKind: "execute",
        input: JSON.stringify({ command: text }),
        content: [{ kind: "text", text }, diff],
        options: [{ optionId: "a", name: text, kind: "allow_once" }],
      };
      const asked = elicitationCard(
        { ...form, agent: text, message: text, ask: { mode: "url", url: `https://a/${text}`, elicitationId: "1" } },
        ANSWERABLE,
      );
      for (const card of [permissionCard(permission, ANSWERABLE), asked]) {
        const { form: _, changes: __, diffs: ___, ...shown } = card; // their elements show hidden characters
        ok(!JSON.stringify(shown).includes(character), JSON.stringify(shown));
      }
    }
  });

  test("shortens blanks so that a command stays visible", () => {
    const permission: Permission = {
      kind: "permission",
      id: "p",
      agent: "A",
      toolEntryId: "t",
      title: "t",
      toolKind: "execute",
      input: `ls${" ".repeat(900)}; rm -rf ~${"\n".repeat(90)}rm`,
      content: [],
      options: [],
    };
    ok(permissionCard(permission, ANSWERABLE).body.includes("ls ⟦900 blanks⟧ ; rm -rf ~\n⟦89 empty lines⟧\nrm"));
  });

  test("shows the result without buttons after an answer", () => {
    const said = (elicitation: Elicitation, answered: NonNullable<Elicitation["answered"]>) => {
      const card = elicitationCard({ ...elicitation, answered }, ANSWERABLE);
      deepEqual([card.form, card.buttons, card.header?.tone], [undefined, [], "plain"]);
      return card.body.split("\n\n").at(-1);
    };
    equal(said(form, { kind: "accepted" }), "✓ **Answered** by you");
    equal(said(page, { kind: "accepted" }), "✓ **Opened in the browser** by you");
    equal(said(form, { kind: "declined" }), "✗ **Declined** by you");
    equal(said(page, { kind: "completed" }), "✓ **Completed**: Claude reports that this is complete.");
    equal(said(form, { kind: "cancelled", why: "The turn was stopped." }), "**Not answered**: The turn was stopped\\.");
  });
});

suite("agent text in cards", () => {
  const hostile = fc.constantFrom(
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/x.png)",
    "</code><script>alert(1)</script>",
    "`<b>`",
    '["><img src=x>](javascript:x)',
    "&lt;img src=x&gt;",
    "a\n\n<style>*{display:none}</style>",
    "\\<img src=x>",
  );
  const entries = hostile.chain(text =>
    fc.constantFrom<readonly Entry[]>(
      [{ kind: "thought", id: "1", text, ms: 3 }],
      [{ kind: "compaction", id: "2", compactionId: text, status: text, text, error: text }],
      [{ kind: "compaction", id: "3", compactionId: "", status: "failed", text: "", error: text }],
      [{ kind: "notice", id: "4", severity: "info", text, from: text, detail: text, actions: [] }],
      [{ kind: "media", id: "5", content: { kind: "audio", mimeType: text, bytes: 1 } }],
      [{ kind: "media", id: "6", content: { kind: "image", mimeType: text, data: text } }],
      [
        {
          kind: "media",
          id: "7",
          content: { kind: "resource", uri: text, name: text, description: text, mimeType: text, text },
        },
      ],
      [
        {
          kind: "media",
          id: "8",
          content: { kind: "resource", uri: `https://x/${text}`, name: text, mimeType: text, bytes: 1 },
        },
      ],
      [{ kind: "media", id: "9", content: { kind: "resource", uri: `file:///${text}#${text}`, description: text } }],
      [{ kind: "media", id: "10", content: { kind: "other", what: text, json: text } }],
      [{ ...form, agent: text, message: text }],
      [{ ...page, agent: text, message: text, ask: { mode: "url", url: text, elicitationId: text } }],
      [
        {
          ...page,
          ask: { mode: "url", url: `https://u:p@h/${text}`, elicitationId: "" },
          answered: { kind: "cancelled", why: text },
        },
      ],
      [{ kind: "plan", id: "11", steps: [{ content: text, priority: text, status: text }] }],
      [{ kind: "unknown", id: "12", what: text, json: text }],
    ),
  );

  test("creates no elements: its Markdown contains no tags or images", () =>
    fc.assert(
      fc.property(entries, fc.boolean(), (all, answerable) => {
        for (const card of all.flatMap(entry => cardsOf(entry, { ...ANSWERABLE, answerable })))
          for (const markdown of markdownIn(card)) {
            ok(!/(?<!\\)(?:\\\\)*</.test(markdown), markdown);
            ok(!/(?<!\\)!\[/.test(withoutCode(markdown)), markdown);
          }
      }),
      { numRuns: 300 },
    ));
});

function markdownIn({ header, body, folded, buttons }: Card): readonly string[] {
  return [
    header?.text ?? "",
    body,
    ...folded.filter(part => typeof part === "string"),
    ...buttons.flatMap(({ label, hint }) => [label, hint ?? ""]),
  ];
}

const withoutCode = (markdown: string): string => markdown.replace(/(`+)[^]*?\1/g, "");
