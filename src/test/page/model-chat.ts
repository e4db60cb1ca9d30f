/** VS Code's own chat as a user meets it: models are picked, words typed, confirmations pressed; what is on the page is read, nothing else. */
import type { Locator, Page } from "playwright-core";
import type { Box } from "./harness";

/** Its rows are virtual: they are never counted, only the last is looked at. */
const SESSION = ".interactive-session:visible";
const RESPONSE = `${SESSION} .interactive-item-container.interactive-response`;

/** What `tools-extension` says when VS Code's chat is active. */
const READY = "the chat is ready";

export class ModelChat {
  constructor(readonly page: Page) {}

  /** Switches the chat on, without signing in, and waits until a model can be picked; in a box with `tools-extension`. */
  static async open(box: Box): Promise<ModelChat> {
    const chat = new ModelChat(box.page);
    await box.command("Chat: Manage Language Models");
    await box.page.locator(".editor-group-container .tab", { hasText: "Language Models" }).waitFor();
    await box.page.locator(".statusbar-item", { hasText: READY }).first().waitFor({ timeout: 60_000 });
    await box.command("View: Close All Editors");
    await box.command("Chat: Open Chat");
    // Until VS Code has found a model it offers to sign in.
    await chat.picker.filter({ hasNotText: /^\s*(models|auto|sign in.*)?\s*$/i }).waitFor({ timeout: 45_000 });
    return chat;
  }

  get picker(): Locator { return this.page.locator(`${SESSION} .chat-input-toolbars .model-picker-split`).last(); }
  get last(): Locator { return this.page.locator(RESPONSE).last(); }

  /** By the name that the picker shows. */
  async pick(model: string): Promise<void> {
    await this.picker.click();
    const filter = this.page.locator(".action-widget:visible input.action-list-filter-input");
    await filter.fill(model);
    await this.page.locator(".action-widget:visible .monaco-list-row.action", { has: this.page.locator(".title", { hasText: new RegExp(`^${model}$`) }) }).first().click();
    await this.picker.filter({ hasText: model }).waitFor();
  }

  async say(words: string): Promise<void> {
    await this.page.locator(`${SESSION} .interactive-input-part .monaco-editor`).last().click();
    await this.page.keyboard.insertText(words);
    await this.page.keyboard.press("Enter");
    await this.page.locator(`${SESSION} .interactive-item-container.interactive-request`, { hasText: words }).last().waitFor();
  }

  /** The last answer, as soon as it says so. */
  async answered(text: string | RegExp, timeout = 60_000): Promise<string> {
    const answer = this.last.filter({ hasText: text });
    await answer.waitFor({ timeout });
    return answer.innerText();
  }

  /** A button of the confirmation that is open. Each is drawn twice. */
  button(label: string | RegExp): Locator { return this.page.locator(".monaco-button:visible", { hasText: label }).last(); }

  async newChat(): Promise<void> {
    await this.page.locator(".part.auxiliarybar .action-label.codicon-plus").first().click();
    await this.last.waitFor({ state: "hidden" });
  }

  async stop(): Promise<void> {
    await this.page.locator(`${SESSION} .chat-input-toolbars .codicon-stop-circle, ${SESSION} .chat-execute-toolbar .codicon-stop-circle`).last().click();
  }
}
