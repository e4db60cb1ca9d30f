/**
 * Screen reader announcements of the chat: sentences as they are completed, questions immediately, no outdated content.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { input } from "../page/prompt-steps";
import { button, barrier, newTab, reloadWebviews, seen, showsText, stopTurn } from "../page/scripted";
import { openScripted } from "./fixture";

suite("accessibility: spoken announcements", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());
  teardown(() => stopTurn(box.frame));

  /** The content of the live regions, in order, followed by urgent announcements, which are marked with `!`. */
  const announcements = async (): Promise<readonly string[]> => [
    ...(await box.frame.locator(".symposium-spoken[role=log] > p").allTextContents()),
    ...(await box.frame.locator(".symposium-spoken[role=alert] > p").allTextContents()).map(text => `! ${text}`),
  ];
  const forget = (): Promise<void> =>
    box.frame.locator(".symposium-spoken > p").evaluateAll(all => all.forEach(each => each.remove()));
  /**
   * Waits for an announcement, and returns everything announced since the last `forget`. Sentences announced together
   * form one item.
   */
  async function announced(what: string): Promise<string> {
    await seen(async () => (await announcements()).join(" ").includes(what), `“${what}” among the announcements`);
    return (await announcements()).join(" ");
  }

  test("contains an answer by sentence while it streams, code as a description, and its end", async () => {
    await sendPrompt(
      box.frame,
      "say First **things** first. Then; ask p1 title=Wait; say , [later](https://example.org/x). Some code:\\n```js\\nlet a = 1\\nlet b = 2\\n```\\nThe rest",
    );
    await button(box.frame, "Allow once").waitFor();
    assert.equal(await announced("Then"), "First things first. Then"); // the question comes after it
    await button(box.frame, "Allow once").click();
    await turnEnded(box.frame);
    assert.match(
      await announced("has finished"),
      /^First things first\. Then .*, later\. Some code: Code in js, 2 lines\. The rest Scripted has finished\.$/,
    );
  });

  test("omits existing content after a view reload", async () => {
    await reloadWebviews(box);
    await showsText(box.frame, "First things first");
    await sendPrompt(box.frame, "say Only this.");
    assert.equal(await announced("has finished"), "Only this. Scripted has finished.");
  });

  test("names another chat's question immediately and its end", async () => {
    const gate = path.join(box.folders[0] ?? "", "gate");
    execFileSync("mkfifo", [gate]);
    await sendPrompt(
      box.frame,
      `title Behind; terminal cat gate; say Not heard. Nor this.; ask p2 kind=execute title="Clean up" input={"command":"rm -r build"}; terminal cat gate; say Nor that.`,
    );
    await box.frame.locator(".symposium-line[data-state=running]", { hasText: "$ cat" }).waitFor();
    await newTab(box);
    await forget();
    await writeFile(gate, "");
    assert.equal(
      await announced("In the chat"),
      "! In the chat “Behind”, Scripted requests permission to run a command: Clean up. command: rm -r build.",
    );
    await box.frame.getByRole("tab", { name: "Behind" }).click();
    await forget();
    await button(box.frame, "Allow once").click();
    await seen(
      async () => (await box.frame.locator("[data-part=chat]:visible .symposium-terminal").count()) === 2,
      "the second command",
    );
    await box.frame.getByRole("tab", { name: "Scripted" }).click();
    await writeFile(gate, "");
    await announced("In the chat “Behind”, Scripted has finished.");
  });

  test("speaks a question that does not take the focus while the user types", async () => {
    const card = box.frame.locator("[data-part=chat]:visible [data-kind=permission]").last();
    const QUESTION = `ask p3 kind=edit title="Change it" input={"path":"/srv/a.ts"} diff={"path":"/srv/a.ts","oldText":"one\\ntwo\\n","newText":"one\\n2\\nthree\\n"}`,
      ASKED = "Change it. path: /srv/a.ts. Changes /srv/a.ts: 2 lines added, 1 removed.";
    await forget();
    await sendPrompt(box.frame, QUESTION);
    await seen(() => card.evaluate(element => element === document.activeElement), "the focus on the question");
    assert.deepEqual(
      await card.evaluate(element => [
        element.getAttribute("aria-label"),
        document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent,
      ]),
      ["Scripted requests permission to change a file", ASKED],
    );
    assert.equal((await announcements()).filter(each => each.startsWith("!")).join(), "");
    await button(box.frame, "Allow once").click();
    await turnEnded(box.frame);
    const typed = barrier();
    await sendPrompt(box.frame, `${typed.step}; ${QUESTION}`);
    await input(box.frame).pressSequentially("and");
    typed.open();
    assert.match(
      await announced("! "),
      new RegExp(`! Scripted requests permission to change a file: ${ASKED.replaceAll(".", "\\.")}`),
    );
    assert.equal(await input(box.frame).evaluate(element => element === document.activeElement), true);
    await input(box.frame).fill("");
  });

  test("stops when the turn is cancelled", async () => {
    // Announces the first sentences; all of them would take minutes.
    await sendPrompt(box.frame, `say ${"A sentence that takes a while to be heard. ".repeat(100)}; wait-cancel`);
    await announced("A sentence");
    await forget(); // for example the cancelled turn of the previous test
    await box.frame.locator("[data-part=stop]:visible").click();
    await announced("Stopped.");
    assert.ok((await announcements()).join(" ").split("A sentence").length < 60);
    assert.match((await announcements()).findLast(each => !each.startsWith("!")) ?? "", /Stopped\./);
  });

  test("uses status roles for the banner and the agent's activity", async () => {
    assert.deepEqual(
      await box.frame
        .locator("[data-part=chat]:visible :is([data-part=status], [data-part=banner])")
        .evaluateAll(all => all.map(each => each.getAttribute("role"))),
      ["status", "status"],
    );
  });
});
