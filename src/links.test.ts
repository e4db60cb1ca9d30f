import { deepEqual } from "node:assert/strict";
import { linkOf, MAX_PROMPT, openLink, type LinkDeps } from "./links";
import { summary } from "./testing/session-summary";

suite("links", () => {
  async function opened(path: string, query = "", deps: Partial<LinkDeps> = {}): Promise<readonly string[]> {
    const done: string[] = [];
    await openLink(
      {
        isTrusted: () => true,
        sessions: async () => [summary("one")],
        openSession: async ({ ref }) => void done.push(`session ${ref.kind === "stored" ? ref.conversation : ""}`),
        openDraft: async text => void done.push(`draft ${text}`),
        notify: async (message, actions) => void done.push([message, ...actions].join(" | ")),
        ...deps,
      },
      path,
      query,
    );
    return done;
  }

  test("open a stored session, and report an unknown one", async () => {
    deepEqual(await opened("/session/one"), ["session one"]);
    deepEqual(await opened("/session/two"), ["The session of this link is not stored on this computer."]);
    const sessions = () => Promise.reject(new Error("No sidecar."));
    deepEqual(await opened("/session/one", "", { sessions }), ["No sidecar. | showLogs"]);
  });

  test("open a draft with the whole text, and show its hidden characters", async () => {
    deepEqual(await opened("/new", "prompt=a & b=c?\nd"), ["draft a & b=c?\nd"]);
    deepEqual(await opened("/new/", "prompt=rm\u202E \u{E0041}x"), ["draft rm⟦U+202E⟧ ⟦U+E0041⟧x"]);
  });

  test("open no draft in an untrusted workspace", async () =>
    deepEqual(await opened("/new", "prompt=x", { isTrusted: () => false }), [
      "Agents run programs on this machine. Trust this workspace to start one. | manageTrust",
    ]));

  test("report other links with the reason", () => {
    for (const [path, query] of [
      ["", ""],
      ["/", "prompt=x"],
      ["/settings", ""],
      ["/session/", ""],
      ["/session/a/b", ""],
      ["/session/../x", ""],
      [`/session/${"x".repeat(101)}`, ""],
      ["/new", ""],
      ["/new", "text=x"],
      ["/new", "prompt= \n"],
      ["/new", `prompt=${"x".repeat(MAX_PROMPT + 1)}`],
    ] as const)
      deepEqual(linkOf(path, query).kind, "invalid", path);
  });
});
