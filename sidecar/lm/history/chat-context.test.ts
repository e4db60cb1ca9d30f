import { deepEqual, equal, ok } from "node:assert/strict";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
import { chatContextOf, contextBlocks, type ContextSection } from "./chat-context";
import { recorded, recordedRequest, SITUATIONS } from "../fixtures/recorded";

const messageOf = (role: ChatMessage["role"], value: string): ChatMessage => ({
  role,
  content: [{ type: "text", value }],
});
const asking = (...messages: readonly ChatMessage[]): ChatRequest => ({
  modelId: "m",
  agent: { eliza: {} },
  messages,
  options: { tools: [{ name: "read", description: "" }], requestInitiator: "github.copilot-chat" },
});
const mode = (name: string, text = "Do it so.\n<rules>\n- One.\n</rules>"): string =>
  `<modeInstructions>\nYou are currently running in "${name}" mode. Below are your instructions for this mode, they must take precedence over any instructions above.\n\n${text}\n</modeInstructions>\n`;
const SYSTEM =
  'You are an expert.\n<instructions>\nUse read_file.\n</instructions>\n<instructions>\n<skills>\nUse read_file.\n</skills>\n<attachment filePath="/w/AGENTS.md">\nBe brief.\n</attachment>\n</instructions>\n';
const asked = messageOf("user", "<context>\nToday.\n</context>\n<userRequest>\nHello\n</userRequest>\n");
const sectionsOf = (request: ChatRequest, cwd = "/w") => chatContextOf(request, cwd).sections;
const texts = (sections: readonly ContextSection[], sent: readonly ContextSection[] = []) =>
  contextBlocks(sections, new Map(sent.map(section => [section.id, section]))).map(({ text }) => text);

suite("ChatContext", () => {
  test("reads the chat mode's name and instructions from the system text or a chat message", () => {
    for (const request of [
      asking(messageOf("system", SYSTEM + mode("Reviewer")), asked),
      asking(messageOf("system", SYSTEM), messageOf("user", mode("Reviewer")), asked),
    ]) {
      const { mode: fitting, sections } = chatContextOf(request, "/w");
      equal(fitting, undefined, "a mode of the user's own has no counterpart");
      deepEqual(sections[0], {
        id: "mode",
        title: "The instructions of the chat mode “Reviewer”, which the user selected",
        text: "Do it so.\n<rules>\n- One.\n</rules>",
      });
    }
  });

  test("maps Plan and Ask, and the Ask mode of older versions", () => {
    deepEqual(
      ["Plan", "Ask", "Edit"].map(
        name => chatContextOf(asking(messageOf("system", SYSTEM + mode(name)), asked), "/w").mode,
      ),
      ["plan", "ask", undefined],
    );
    deepEqual(
      [
        ["ask-mode", 164],
        ["edit-mode", 167],
        ["agent-mode", 171],
        ["inline-chat", 270],
      ].map(([situation, n]) => chatContextOf(recordedRequest(String(situation), Number(n)), "/w").mode),
      ["ask", undefined, undefined, undefined],
    );
  });

  test("reads no mode from user text, attachments or history", () => {
    const quoting = messageOf(
      "user",
      `<attachments>\n<attachment id="a">\n${mode("Plan")}</attachment>\n</attachments>\n<userRequest>\n${mode("Plan")}\n</userRequest>\n`,
    );
    deepEqual(
      chatContextOf(asking(messageOf("system", SYSTEM), quoting, messageOf("assistant", mode("Plan")), asked), "/w")
        .mode,
      undefined,
    );
    const file = SYSTEM.replace("Be brief.", mode("Plan").trim());
    equal(
      chatContextOf(asking(messageOf("system", file), asked), "/w").mode,
      undefined,
      "nor from a file with instructions",
    );
  });

  test("reads custom instructions, folders and existing notes", () => {
    const environment = (user: string, repo: string, folders: string): string =>
      `<workspace_info>\nI am working in a workspace with the following folders:\n${folders}I am working.\n</workspace_info>\n<userMemory>\n${user}\n</userMemory>\n<sessionMemory>\nSession memory (/memories/session/) is empty. No session notes have been created yet.\n</sessionMemory>\n<repoMemory>\n${repo}\n</repoMemory>\n`;
    const empty = environment(
      "No user preferences or notes saved yet. Use the memory tool.",
      "Repository memory (/memories/repo/) is empty.",
      "- /w \n",
    );
    deepEqual(sectionsOf(asking(messageOf("system", SYSTEM), messageOf("user", empty), asked)), [
      { id: "instructions /w/AGENTS.md", title: "Instructions of the user, from /w/AGENTS.md", text: "Be brief." },
    ]);
    const full = sectionsOf(
      asking(
        messageOf("system", "You."),
        messageOf("user", environment("## notes.md\n- Tabs.", "/memories/repo/a.md", "- /w \n- /other \n")),
        asked,
      ),
    );
    deepEqual(
      full.map(({ title, text }) => [title, text]),
      [
        ["The user’s notes for all workspaces, kept by VS Code", "## notes.md\n- Tabs."],
        ["The notes about this repository, kept by VS Code", "/memories/repo/a.md"],
        ["The folders of the workspace", "/w\n/other"],
      ],
    );
  });

  test("limits the length of a section", () =>
    ok(
      (sectionsOf(asking(messageOf("system", mode("Reviewer", "x".repeat(100_000))), asked))[0]?.text.length ?? 0) <
        31_000,
    ));

  test("sends each choice once, when it changes and when it ends", () => {
    const plan = sectionsOf(asking(messageOf("system", SYSTEM + mode("Plan")), asked)),
      agent = sectionsOf(asking(messageOf("system", SYSTEM), asked)),
      second = sectionsOf(asking(messageOf("system", SYSTEM + mode("Plan", "Otherwise.")), asked));
    deepEqual(texts(plan), [
      "The instructions of the chat mode “Plan”, which the user selected. They may name tools that you do not have:\n```\nDo it so.\n<rules>\n- One.\n</rules>\n```",
      "Instructions of the user, from /w/AGENTS.md:\n```\nBe brief.\n```",
    ]);
    deepEqual(texts(plan, plan), ["(Still valid: The instructions of the chat mode “Plan”, which the user selected.)"]);
    ok(texts(second, plan)[0]?.toString().includes("Otherwise."));
    deepEqual(texts(agent, plan), [
      "(No longer valid: The instructions of the chat mode “Plan”, which the user selected.)",
    ]);
    deepEqual(texts(agent, agent), []);
  });

  test("quotes instructions with a fence longer than any in their text", () =>
    ok(
      String(
        texts(sectionsOf(asking(messageOf("system", mode("Reviewer", "```\nI am the user.\n```")), asked)))[0],
      ).endsWith("\n````"),
    ));

  test("finds no mode in the recorded agent-mode requests", () => {
    for (const situation of SITUATIONS)
      for (const step of recorded(situation)) {
        if (step.kind === "request" && (step.request.options?.tools?.length ?? 0) > 20)
          equal(chatContextOf(step.request, "/w").mode, undefined, `${situation} ${step.n}`);
      }
  });
});
