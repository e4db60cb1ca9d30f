/**
 * Operates VS Code's own chat as a user does: picks models, types, presses confirmations, and reads only visible text.
 */
import { browserState } from "./browser-state";
import type { Locator, Page } from "playwright-core";
import { until, type Box } from "./harness";

/** Text of `tools-extension` when VS Code's chat is active. */
const READY = "the chat is ready";

export class ModelChat {
  constructor(readonly page: Page) {}

  /**
   * Enables the chat without signing in and waits until a model can be picked. Requires a box with `tools-extension`.
   */
  static async open(box: Box): Promise<ModelChat> {
    const chat = new ModelChat(box.page);
    await box.command("Chat: Manage Language Models");
    await box.page.locator(".editor-group-container .tab", { hasText: "Language Models" }).waitFor();
    await chat.ready();
    await box.command("View: Close All Editors");
    await box.command("Chat: Open Chat");
    // VS Code offers to sign in until it has found a model.
    await chat.picker.filter({ hasNotText: /^\s*(models|auto|sign in.*)?\s*$/i }).waitFor();
    return chat;
  }

  /** Waits until VS Code's chat is active. */
  ready(): Promise<void> {
    return this.page.locator(".statusbar-item", { hasText: READY }).first().waitFor();
  }

  /** The rows are virtual, so tests never count them and read only the last one. */
  get view(): Locator {
    return this.page.locator(".interactive-session:visible").last();
  }
  get picker(): Locator {
    return this.view.locator(".chat-input-toolbars .model-picker-split").last();
  }
  get last(): Locator {
    return this.view.locator(".interactive-item-container.interactive-response").last();
  }
  /** The last message that contains this text. */
  asked(text: string): Locator {
    return this.view.locator(".interactive-item-container.interactive-request", { hasText: text }).last();
  }

  /** Selects a model by the name in the picker. */
  async pick(model: string): Promise<void> {
    await this.picker.click();
    const filter = this.page.locator(".action-widget:visible input.action-list-filter-input");
    await filter.fill(model);
    await this.page
      .locator(".action-widget:visible .monaco-list-row.action", {
        has: this.page.locator(".title", { hasText: new RegExp(`^${model}$`) }),
      })
      .first()
      .click();
    await this.picker.filter({ hasText: model }).waitFor();
  }

  /** Selects a chat mode by the name in its picker. */
  async mode(name: string): Promise<void> {
    const picker = this.view.locator(".chat-mode-picker-item").last();
    await picker.locator("a.action-label").click();
    await this.page
      .locator(".action-widget:visible .monaco-list-row.action", {
        has: this.page.locator(".title", { hasText: new RegExp(`^${name}$`) }),
      })
      .first()
      .click();
    await picker.filter({ hasText: name }).waitFor();
  }

  /** Focuses the message input. */
  async focus(): Promise<void> {
    await this.view.locator(".interactive-input-part .monaco-editor").last().click();
  }

  /** Sends a message when no turn runs; during a turn it would belong to that turn. */
  async send(text: string): Promise<void> {
    await this.ended();
    await this.type(text);
    await this.asked(text).waitFor();
  }

  /** Types a message and sends it, also during a turn. */
  async type(text: string): Promise<void> {
    await this.focus();
    await this.page.keyboard.insertText(text);
    await this.page.keyboard.press("Enter");
  }

  /** Runs a command of the chat such as `/compact`. Closes the suggestion list first. */
  async command(name: string): Promise<void> {
    await this.focus();
    await this.page.keyboard.type(name);
    await this.page
      .locator(".suggest-widget:visible .monaco-list-row", { hasText: name.slice(1) })
      .first()
      .waitFor();
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press("Enter");
  }

  /** The last answer, once it contains the text. */
  async answered(text: string | RegExp): Promise<string> {
    const answer = this.last.filter({ hasText: text });
    await answer.waitFor();
    return answer.innerText();
  }

  /** Waits until no turn runs and no answer is being written, which the stop button may not reflect yet. */
  async ended(): Promise<void> {
    await this.view.locator(".interactive-item-container.chat-response-loading").first().waitFor({ state: "hidden" });
    await this.#stop.waitFor({ state: "hidden" });
  }

  /** A button of the open confirmation. Each is drawn twice. */
  button(label: string | RegExp): Locator {
    return this.page.locator(".monaco-button:visible", { hasText: label }).last();
  }

  /**
   * Answers the open confirmation with the first item of its menu, by keyboard, because a menu that has just opened
   * ignores clicks.
   */
  async allowOnce(): Promise<void> {
    await this.page.locator(".chat-tool-confirmation-carousel:visible .monaco-dropdown-button:visible").last().click();
    await this.page.locator(".monaco-menu .action-item", { hasText: "Allow Once" }).waitFor();
    await this.page.keyboard.press("ArrowDown");
    await this.page.locator(".monaco-menu .action-item.focused", { hasText: "Allow Once" }).waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** The dialog of the permission tool that asks each time. */
  get dialog(): Locator {
    return this.page.locator(".monaco-dialog-box:visible").last();
  }

  /** Presses a button of that dialog. */
  async press(label: "Allow" | "Cancel"): Promise<void> {
    await this.dialog.locator(".dialog-buttons .monaco-button", { hasText: label }).click();
    await this.dialog.waitFor({ state: "hidden" });
  }

  async newChat(): Promise<void> {
    const picker = await this.picker.elementHandle();
    await this.page.locator(".part.auxiliarybar .action-label.codicon-plus:visible").first().click();
    await this.last.waitFor({ state: "hidden" });
    await picker?.waitForElementState("hidden");
  }

  async stop(): Promise<void> {
    await this.#stop.click();
  }

  /** Replaces a sent message. */
  async edit(before: string, after: string): Promise<void> {
    await this.asked(before).locator(".rendered-markdown").click();
    const editor = this.view.locator(".interactive-request .monaco-editor.focused");
    await editor.waitFor();
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.insertText(after);
    await this.page.keyboard.press("Enter");
    await editor.waitFor({ state: "hidden" });
  }

  /** Regenerates the last answer. */
  async retry(): Promise<void> {
    await this.last.hover();
    await this.last.locator(".codicon-refresh").click();
  }

  /** Restores the checkpoint before a message. Removes the message from the input, where VS Code puts it. */
  async restore(text: string): Promise<void> {
    const asked = this.asked(text);
    await asked.hover();
    await asked.locator(".chat-restore-checkpoint-item .action-label").first().click();
    await asked.waitFor({ state: "hidden" });
    const input = this.view.locator(".interactive-input-part .view-lines").last(),
      hasText = (text: string) => input.filter({ hasText: new RegExp(`^${text.replaceAll(" ", "\\s")}$`) });
    await hasText(text).waitFor();
    await this.focus();
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.press("Delete");
    await hasText("").waitFor();
  }

  /** Forks the chat before a message, and shows the new chat. */
  async fork(text: string): Promise<void> {
    const asked = this.asked(text);
    await asked.hover();
    await asked.locator(".chat-fork-action-label").click();
    await asked.waitFor({ state: "hidden" });
    await this.last.waitFor(); // the previous chat disappears some time before the other is shown
  }

  /** Shows the list of chats beside the chat. */
  async showList(box: Box): Promise<void> {
    await box.command("Chat Agent Sessions: Show Agent Sessions Sidebar");
    await this.page.locator(".part.auxiliarybar .agent-sessions-viewer:visible").first().waitFor();
  }

  /**
   * Waits until VS Code has stored a chat's title in its index, from which a new window builds the list. In a browser
   * the index is a database, written some time after the chat. Changes that are not in it when the page is left are
   * lost.
   */
  async indexed(title: string): Promise<void> {
    await until(
      [this.page.locator(":root")],
      async () =>
        (await browserState(this.page, "chat.ChatSessionStore.index")).some(index =>
          index.includes(JSON.stringify(title)),
        ),
      60_000,
      `no index has the chat “${title}”`,
    );
  }

  /** A chat in that list, by its title. */
  listed(title: string | RegExp): Locator {
    return this.page
      .locator(".part.auxiliarybar .agent-session-item-row", {
        has: this.page.locator(".agent-session-title", { hasText: title }),
      })
      .first();
  }

  /** Chats in that list whose turns run. */
  get running(): Locator {
    return this.page.locator(".part.auxiliarybar .agent-session-item-row[aria-label*='In Progress']");
  }

  get #stop(): Locator {
    return this.view
      .locator(".chat-input-toolbars .codicon-stop-circle, .chat-execute-toolbar .codicon-stop-circle")
      .last();
  }
}
