/** Selectors of mynah-ui's elements under Symposium's names, for the modules and tests that find them in the page. */
export const selectors = {
  /** The row of tabs; each tab is a `span` with a radio button and a title. */
  tabStrip: ".mynah-tabs-container",
  tab: ".mynah-tabs-container > span",
  tabInput: "input.mynah-tab-item",
  tabTitle: ".mynah-tab-item-label-text",
  closeConfirmation: ".mynah-nav-tabs-close-confirmation-overlay",

  /** A whole tab: conversation and prompt. */
  chat: ".mynah-chat-wrapper",
  /** The scrolling list of a tab's cards. */
  conversation: ".mynah-chat-items-container",
  card: ".mynah-chat-item-card",
  /** A card of the conversation itself, neither the banner nor a part of another card. */
  outerCard: ".mynah-chat-items-conversation-container > .mynah-chat-item-card",
  cardContent: ".mynah-card",
  cardBody: ".mynah-card-body",
  /** A picture of an agent. */
  picture: ".mynah-card img[role=button]",
  cardButtons: ".mynah-chat-item-buttons-container",
  /** The foldable part of a card, and its toggle button. */
  foldable: ".mynah-chat-item-card-summary",
  foldButton: ".mynah-chat-item-summary-button",
  foldedContent: ".mynah-chat-item-card-summary-collapsed-content",
  codeBlock: ".mynah-syntax-highlighter:not(.mynah-inline-code)",
  inlineCode: ".mynah-inline-code",
  mermaidCode: ".mynah-syntax-highlighter > pre > code.language-mermaid",
  /** Inline code that `card-code.ts` has not visited. */
  newInlineCode: ".mynah-inline-code code:not([data-visited])",

  /** The prompt with its margin, the prompt with its border, and the editable element. */
  promptArea: ".mynah-chat-prompt-wrapper",
  promptBox: ".mynah-chat-prompt",
  prompt: ".mynah-chat-prompt-input",
  /** The row below the prompt's text, with the buttons that send and stop. */
  promptButtons: ".mynah-chat-prompt-button-wrapper",
  sendButton: ".mynah-chat-prompt-button",
  stopButton: ".mynah-chat-prompt-stop-button",
  banner: ".mynah-chat-prompt-input-sticky-card",

  button: ".mynah-button",
  /** A button that mynah-ui created itself, not a button in rendered text. */
  drawnButton: ".mynah-button.mynah-ui-clickable-item",
  icon: ".mynah-ui-icon",
} as const;
