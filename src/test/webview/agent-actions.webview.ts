/**
 * Commands of an agent and of the extension Workspace, with their live output, and requests for files outside the
 * workspace.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { lastExchange, sendPrompt, turnEnded, turnState, type ChatBox } from "../page/harness";
import { becomes, button, newTab, processesOf, scripted, seen, shownTab, stopTurn } from "../page/scripted";
import { openChatBox } from "./fixture";

/** Settings with the extension Workspace. */
const workspace = (settings: object): Readonly<Record<string, unknown>> =>
  scripted([], { "symposium.extensions": [{ id: "workspace", _enabled: true, _source: "built-in", settings }] });

suite("actions of an agent", () => {
  let box: ChatBox,
    folder = "";
  suiteSetup(async () => {
    box = await openChatBox(workspace({}));
    [folder = ""] = box.folders;
  });
  suiteTeardown(() => box.close());
  teardown(() => stopTurn(box.frame));

  const inFolder = (name: string): string => path.join(folder, name);
  const chat = () => shownTab(box);

  suite("terminal command", () => {
    const terminal = () => chat().locator(".symposium-terminal").last();
    const output = () => terminal().locator(".symposium-terminal-output");
    const state = () => terminal().locator(".symposium-terminal-state");
    const prints = (text: RegExp): Promise<void> =>
      seen(
        async () =>
          text.test(
            await output()
              .innerText({ timeout: 1_000 })
              .catch(() => ""),
          ),
        `${text} in the card`,
      );
    const colorOf = (text: string): Promise<string> =>
      output()
        .getByText(text)
        .evaluate(each => getComputedStyle(each).color);

    /** A command that prints, and continues after `release`. */
    function gated(
      name: string,
      before: string,
      after: string,
    ): { readonly command: string; release(): Promise<void> } {
      const gate = inFolder(`${name}.gate`);
      execFileSync("mkfifo", [gate]);
      writeFileSync(inFolder(`${name}.sh`), `printf '${before}'\nread _ < ${name}.gate\n${after}\n`);
      return { command: `sh ${name}.sh`, release: () => writeFile(gate, "\n") };
    }

    test("shows its colored output while it runs, and its exit code", async () => {
      const live = gated("live", "plain words\\n\\033[31mred words\\033[0m\\n", "echo after the gate\nexit 3");
      await sendPrompt(box.frame, `terminal ${live.command}`);
      await prints(/^plain words\nred words\n*$/);
      assert.deepEqual(
        [
          await terminal().locator(".symposium-terminal-command").innerText(),
          await state().innerText(),
          await turnState(box.frame),
        ],
        ["sh live.sh", "running", "running"],
      );
      assert.notEqual(await colorOf("red words"), await colorOf("plain words"));
      await live.release();
      await turnEnded(box.frame);
      await prints(/^plain words\nred words\nafter the gate\n*$/);
      await becomes(() => state().innerText(), "exit code 3", "how it ended");
      assert.match((await lastExchange(box.frame)).answer, /exit 3: plain words/);
      await box.screenshot("terminal-light");
    });

    test("keeps its output when the agent kills it", async () => {
      const { command } = gated("killed", "begun\\n", "echo never");
      await sendPrompt(
        box.frame,
        `terminal-start ${command}; ask p1; terminal-kill; terminal-wait; terminal-output; terminal-release`,
      );
      await prints(/^begun\n*$/);
      await button(box.frame, "Allow once").first().click();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /exit SIGTERM\s*begun/);
      await becomes(() => state().innerText(), "SIGTERM", "how it ended");
      await prints(/^begun\n*$/);
    });

    test("ends when the turn is cancelled", async () => {
      const { command } = gated("stopped", "begun\\n", "echo never");
      await sendPrompt(box.frame, `terminal ${command}`);
      await prints(/^begun\n*$/);
      await becomes(() => Promise.resolve(processesOf(box, command).length), 1, "its process");
      await chat().locator("[data-part=stop]:visible").click();
      await turnEnded(box.frame);
      await becomes(() => state().innerText(), "SIGTERM", "how it ended");
      await becomes(() => Promise.resolve(processesOf(box, command)), [], "no process of it");
    });
  });

  suite("file outside the workspace", () => {
    test("is requested for a link that leads there, and not written after a rejection", async () => {
      const target = path.join(realpathSync(path.dirname(folder)), "target.txt");
      writeFileSync(target, "as it was");
      symlinkSync(target, inFolder("way-out.txt"));
      await sendPrompt(box.frame, `write ${inFolder("way-out.txt")} changed`);
      await button(box.frame, "Reject").waitFor();
      assert.ok((await chat().locator('[data-kind="permission"]').last().innerText()).includes(`Write ${target}`));
      await box.screenshot("outside-light");
      await button(box.frame, "Reject").click();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /did not allow this/);
      assert.equal(readFileSync(target, "utf8"), "as it was");
    });

    test("is requested with its resolved path until its folder is allowed in the tab", async () => {
      const outside = path.join(realpathSync(path.dirname(folder)), "outside.txt"),
        REFUSED = `The user did not allow this: ${outside} is outside of the workspace.`;
      writeFileSync(outside, "from outside");
      await sendPrompt(box.frame, `read ${path.join(folder, "..", "outside.txt")}`);
      await button(box.frame, "Reject").click();
      await turnEnded(box.frame);
      const rejected = (await lastExchange(box.frame)).answer;
      for (const part of [`Read ${outside}`, "rejected", REFUSED])
        assert.ok(rejected.includes(part), `${part} is not in: ${rejected}`);
      const details = (await chat().locator('[data-kind="tool"]').last().textContent()) ?? "";
      assert.ok(details.includes("The file is outside of the workspace."), details);
      assert.ok(!rejected.includes("from outside"));
      for (const answer of ["Allow Once", `Allow everything in ${path.dirname(outside)}, in this tab`]) {
        await sendPrompt(box.frame, `read ${outside}`);
        await button(box.frame, answer).click();
        await turnEnded(box.frame);
        assert.match((await lastExchange(box.frame)).answer, /^from outside$/m);
      }
      await sendPrompt(box.frame, `read ${outside}`);
      await turnEnded(box.frame);
      assert.equal((await lastExchange(box.frame)).answer, "from outside");
    });
  });

  suite("Workspace extension", () => {
    test("requests permission for a command line and shows it in a terminal card", async () => {
      const call = `mcp workspace-tools run_terminal ${JSON.stringify({ command: "echo printed && exit 3" })}`;
      await sendPrompt(box.frame, call);
      await chat()
        .locator('[data-kind="permission"]')
        .last()
        .filter({ hasText: "Run echo printed && exit 3" })
        .waitFor();
      await box.screenshot("workspace-command-light");
      await button(box.frame, "Allow Once").click();
      await turnEnded(box.frame);
      assert.match(
        (await lastExchange(box.frame)).answer,
        /run_terminal: \{"stdout":"printed\\n","stderr":"","code":3\}/,
      );
      const terminal = chat().locator(".symposium-terminal").last();
      for (const [part, shown] of [
        ["command", "echo printed && exit 3"],
        ["state", "exit code 3"],
      ] as const)
        await becomes(() => terminal.locator(`.symposium-terminal-${part}`).innerText(), shown, `the ${part}`);
      await terminal.locator(".symposium-terminal-output", { hasText: "printed" }).waitFor();
    });

    test("shows a badge in tabs that started with it while it approves everything", async () => {
      const badge = () => chat().getByRole("button", { name: /^Permissions bypassed/ });
      box.writeSettings(workspace({ approve: "all" }));
      await chat().getByText("This tab still uses its old settings.").waitFor(); // applied
      assert.equal(await badge().count(), 0);
      await newTab(box);
      await badge().waitFor();
      assert.match(
        (await badge().getAttribute("title")) ?? "",
        /The extension Workspace changes files and runs commands without asking you\./,
      );
    });
  });
});
