/**
 * Overrides of mynah-ui's styles, which load late and separately: higher specificity wins (`#symposium`, `:root:root`).
 * Colours are VS Code theme variables only; high-contrast themes get their outlines.
 */
import { composerStyles } from "../components/styles-composer";
import { ownStyles } from "../components/styles-own";
import { speedStyles } from "./styles-speed";

export const styles = `
:root:root {
  --symposium-font-size-small: calc(var(--vscode-font-size, 13px) * 0.92);
  --symposium-button-radius: 2px;
  --symposium-border: var(--vscode-widget-border, var(--vscode-panel-border, transparent));
  --symposium-error: var(--vscode-errorForeground);
  --symposium-success: var(--vscode-charts-green, var(--vscode-terminal-ansiGreen));
  --symposium-spacing: 10px;
  --mynah-font-size-medium: var(--vscode-font-size, 13px);
  --mynah-font-size-small: var(--symposium-font-size-small);
  --mynah-font-size-xsmall: calc(var(--vscode-font-size, 13px) * 0.88);
  --mynah-font-size-xxsmall: calc(var(--vscode-font-size, 13px) * 0.85);
  --mynah-font-size-large: calc(var(--vscode-font-size, 13px) * 1.08);
  --mynah-font-size-xlarge: calc(var(--vscode-font-size, 13px) * 1.15);
  --mynah-font-size-xxlarge: calc(var(--vscode-font-size, 13px) * 1.25);
  --mynah-line-height: 1.45em;
  --mynah-color-status-info: var(--vscode-charts-blue, var(--vscode-textLink-foreground));
  --mynah-color-status-success: var(--symposium-success);
  --mynah-color-status-warning: var(--vscode-editorWarning-foreground);
  --mynah-color-status-error: var(--symposium-error);
  --mynah-color-text-weak: var(--vscode-descriptionForeground);
  --mynah-color-text-link: var(--vscode-textLink-foreground);
  --mynah-color-border-default: var(--symposium-border);
  --mynah-color-syntax-bg: var(--vscode-textCodeBlock-background);
  --mynah-color-syntax-addition: var(--vscode-diffEditor-insertedLineBackground, var(--vscode-diffEditor-insertedTextBackground, rgba(0, 255, 128, 0.1)));
  --mynah-color-syntax-deletion: var(--vscode-diffEditor-removedLineBackground, var(--vscode-diffEditor-removedTextBackground, rgba(255, 0, 0, 0.1)));
  /* The theme made these for icons and for the debugger: towards the text's colour, so that they can be read on ours. */
  --mynah-color-syntax-keyword: color-mix(in srgb, var(--vscode-debugTokenExpression-name) 75%, var(--vscode-foreground));
  --mynah-color-syntax-function: color-mix(in srgb, var(--vscode-debugTokenExpression-boolean) 75%, var(--vscode-foreground));
  --mynah-color-syntax-variable: color-mix(in srgb, var(--vscode-debugTokenExpression-number) 75%, var(--vscode-foreground));
  --mynah-color-syntax-string: color-mix(in srgb, var(--vscode-debugTokenExpression-string) 75%, var(--vscode-foreground));
  --mynah-color-syntax-property: color-mix(in srgb, var(--vscode-terminal-ansiCyan) 50%, var(--vscode-foreground));
  --mynah-color-syntax-class-name: color-mix(in srgb, var(--vscode-gitDecoration-modifiedResourceForeground) 75%, var(--vscode-foreground));
  --mynah-card-radius: 4px;
  --mynah-input-radius: 4px;
  --mynah-button-radius: var(--symposium-button-radius);
  --mynah-chat-wrapper-spacing: var(--symposium-spacing);
  --mynah-shadow-card-border: none;
  --symposium-outline: var(--vscode-contrastBorder, transparent);
}

html, body { height: 100%; }
body:has(> #symposium) { padding: 0; margin: 0; overflow: hidden; }
#symposium { height: 100vh; position: relative; }
#symposium #mynah-wrapper { font-size: var(--mynah-font-size-medium); }
body:not([data-ready]) #symposium .mynah-no-tabs-wrapper { visibility: hidden; }
.symposium-spoken { position: absolute; top: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

#symposium .mynah-chat-items-container { overflow-anchor: none; scroll-behavior: auto; -webkit-mask-image: none; mask-image: none; }
#symposium .mynah-chat-items-conversation-container { gap: 8px; }
#symposium .mynah-chat-items-conversation-container:last-child { min-height: 0; }
#symposium ::-webkit-scrollbar { width: 8px; height: 8px; }
#symposium ::-webkit-scrollbar-thumb { background: var(--vscode-scrollbarSlider-background); border-radius: 4px; }
#symposium img { max-width: 100%; max-height: 24em; object-fit: contain; object-position: left top; border-radius: 3px; }
#symposium .mynah-ui-gradient-background { display: none; }
/* Hidden overflow can still be scrolled, by focus and by scrollIntoView: the whole chat would move out of the view. */
#symposium .mynah-chat-wrapper { overflow: clip; }
/* The renderer lets everything change gradually, also that a tab is hidden or shown: its buttons would be there a while too long, its prompt take no focus yet. */
#symposium .mynah-chat-wrapper * { transition-property: color, background-color, border-color, box-shadow, opacity, transform; }

#symposium .mynah-tab-item-label { opacity: 1; }
#symposium .mynah-nav-tabs-wrapper { background: var(--vscode-editorGroupHeader-tabsBackground, transparent); }
#symposium .mynah-chat-item-card { transition: none; animation: none; transform: none; opacity: 1; }
#symposium [data-kind] > .mynah-card { border-radius: var(--mynah-card-radius); }
#symposium [data-kind="prompt"] > .mynah-card { padding: 6px 10px; background: var(--vscode-chat-requestBubbleBackground, var(--vscode-input-background)); border: 1px solid var(--symposium-outline); }
#symposium [data-kind]:where(:not([data-kind="prompt"], [data-kind="answer"])) > .mynah-card { padding: 6px 8px; gap: 6px; background: var(--vscode-editor-background); border-color: var(--vscode-contrastBorder, var(--mynah-color-border-default)); }
#symposium :is([data-kind="thought"], [data-kind="compaction"]) > .mynah-card { background: transparent; border-color: var(--symposium-outline); padding-block: 0; }
#symposium [data-kind="thought"] * { color: var(--vscode-descriptionForeground); }
#symposium :is([data-kind="permission"], [data-kind="elicitation"]):has(:is(button[action-id], .symposium-form:not([inert]))) > .mynah-card { border-color: var(--vscode-editorWarning-foreground); }
#symposium :is([data-kind="permission"], [data-kind="elicitation"]):not(:has(:is(button[action-id], .symposium-form))) .mynah-chat-item-card-header .mynah-ui-icon { color: inherit; }
#symposium [data-kind="plan"] .mynah-card-body > p { margin-block: 2px; }
#symposium [data-kind="prompt"] a { color: var(--vscode-textLink-foreground); }
#symposium [data-kind="notice"] > .mynah-card { background: transparent; }

#symposium .mynah-chat-item-card-summary > .mynah-chat-item-card-summary-content { border: none; background: none; align-items: flex-start; gap: 4px; }
#symposium .mynah-chat-item-card-summary .mynah-chat-item-summary-button { min-height: 1.45em; min-width: 16px; height: 1.45em; padding: 0; margin: 0; }
#symposium .mynah-chat-item-card-summary-content > .mynah-chat-item-card { flex: 1; min-width: 0; }
#symposium .mynah-chat-item-card-summary-content > .mynah-chat-item-card > .mynah-card { padding: 0; }
#symposium .mynah-chat-item-card-summary > .mynah-chat-item-card-summary-collapsed-content { padding: 4px 0 2px 20px; gap: 8px; }
#symposium .mynah-chat-item-card-header { min-height: 0 !important; padding: 0 !important; border: none !important; gap: 8px !important; align-items: flex-start !important; }
#symposium .mynah-chat-item-card-header .mynah-card.padding-none { display: grid !important; grid-template-columns: auto 1fr !important; column-gap: 6px !important; align-items: start !important; }
#symposium .mynah-chat-item-card-header .mynah-card.padding-none > .mynah-ui-icon { grid-column: 1 !important; grid-row: 1; margin: 0.2em 0 0 !important; align-self: start !important; transform: none !important; font-size: var(--mynah-font-size-medium) !important; }
#symposium .mynah-chat-item-card-header .mynah-card.padding-none > .mynah-card-body { grid-column: 2 !important; grid-row: 1; min-width: 0; padding: 0; }
#symposium .mynah-chat-item-card-header .mynah-card-body > p { display: block; margin: 0; overflow-wrap: anywhere; }
#symposium .mynah-chat-item-card-header-status { flex-shrink: 0; min-height: 0; padding: 0; font-size: var(--mynah-font-size-small); line-height: 1.6em; }
#symposium .mynah-chat-item-card-header-status:has(> .mynah-chat-item-card-header-status-text:empty) { display: none; }
#symposium .mynah-chat-item-card-header-status.status-success { color: color-mix(in srgb, var(--mynah-color-status-success) 75%, var(--vscode-foreground)); }
#symposium .mynah-chat-item-card-header-status.status-warning { color: color-mix(in srgb, var(--mynah-color-status-warning) 55%, var(--vscode-foreground)); }
#symposium .mynah-chat-item-card-header-status.status-error { color: color-mix(in srgb, var(--mynah-color-status-error) 65%, var(--vscode-foreground)); }
#symposium .more-content-indicator:not(.mynah-chat-wrapper > *) { display: none; }
#symposium .max-height-exceed > .more-content-indicator, #symposium .mynah-chat-item-auto-collapse > .more-content-indicator { display: flex; }

#symposium .mynah-card-body { overflow-wrap: anywhere; }
#symposium .mynah-card-body > :first-child { margin-top: 0; }
#symposium .mynah-card-body > :last-child { margin-bottom: 0; }
#symposium .mynah-card-body > :is(blockquote, table, .mynah-syntax-highlighter) { margin-block: 8px; }
#symposium .mynah-card-body blockquote { padding: 2px 10px; border: none; border-inline-start: 3px solid var(--vscode-contrastBorder, color-mix(in srgb, var(--vscode-descriptionForeground) 50%, transparent)); border-radius: 0; background: none; color: var(--vscode-descriptionForeground); }
#symposium .mynah-card-body table { border-collapse: collapse; display: block; overflow-x: auto; }
#symposium .mynah-card-body :is(th, td) { border: 1px solid var(--vscode-contrastBorder, var(--mynah-color-border-default)); padding: 3px 8px; text-align: start; }
#symposium .mynah-syntax-highlighter { border: 1px solid var(--symposium-outline); margin-block: 4px; }
#symposium .mynah-syntax-highlighter pre, #symposium .mynah-syntax-highlighter pre code { line-height: 1.4; }
#symposium .mynah-syntax-highlighter-language { opacity: 1; color: var(--vscode-descriptionForeground); }
#symposium .mynah-syntax-highlighter-copy-buttons { padding: 0 4px 2px 8px !important; font-size: var(--mynah-font-size-xsmall); border: none; }
#symposium .mynah-syntax-highlighter-copy-buttons::before { display: none; }
#symposium .mynah-syntax-highlighter-copy-buttons .mynah-button { min-height: 20px; font-size: inherit !important; }

#symposium .mynah-chat-item-buttons-container { flex-flow: row wrap; justify-content: flex-start; gap: 6px; }
#symposium .mynah-button[action-id] { min-height: 24px; max-width: 100%; padding: 2px 10px; font-size: var(--mynah-font-size-medium) !important; border: 1px solid var(--vscode-button-border, transparent) !important; }
#symposium .mynah-button[action-id].status-clear { border-color: var(--vscode-button-secondaryBorder, var(--vscode-button-border, transparent)) !important; }
#symposium .mynah-button[action-id].status-dimmed-clear { border-color: var(--symposium-outline) !important; }
#symposium .mynah-button[action-id].status-primary { background: var(--vscode-button-background); color: var(--vscode-button-foreground); }
#symposium .mynah-button[action-id].status-clear { background: var(--vscode-button-secondaryBackground, transparent); color: var(--vscode-button-secondaryForeground); }
#symposium .mynah-button[action-id].status-dimmed-clear { background: transparent; color: var(--vscode-descriptionForeground); text-decoration: underline; padding-inline: 2px; }
#symposium .mynah-button > span.mynah-button-label { white-space: normal; text-align: start; }

#symposium .mynah-chat-prompt-wrapper { padding-block: 4px 8px; }
#symposium .mynah-chat-prompt { border: 1px solid var(--vscode-input-border, var(--vscode-contrastBorder, transparent)); padding: 6px 8px 4px; }
#symposium .mynah-chat-prompt:focus-within { border-color: var(--vscode-focusBorder); }
#symposium .mynah-chat-prompt::before, #symposium .mynah-chat-prompt::after { display: none; }
#symposium .mynah-chat-prompt-input { white-space: pre-wrap; max-height: 30vh; }
#symposium .mynah-chat-wrapper > .mynah-chat-prompt-wrapper { order: 2; }
#symposium .mynah-chat-wrapper > .mynah-chat-prompt-input-info { order: 1; margin: 0 !important; padding: 2px var(--mynah-chat-wrapper-spacing) 0; justify-content: flex-start; align-items: flex-start; text-align: start; color: var(--vscode-descriptionForeground); font-size: var(--mynah-font-size-small); }
#symposium .mynah-chat-prompt-input-info .mynah-card-body { text-align: start; width: 100%; }
#symposium .mynah-chat-prompt-input-info .mynah-card-body p::after { content: ""; display: inline-block; inline-size: 6px; block-size: 6px; margin-inline-start: 6px; border-radius: 50%; background: currentColor; animation: symposium-pulse 1.2s ease-in-out infinite; }
@keyframes symposium-pulse { 50% { opacity: 0.2; } }
#symposium .mynah-chat-prompt-input-sticky-card { margin: 0; padding: 0 var(--mynah-chat-wrapper-spacing); width: 100%; border: none; background: none; }
#symposium .mynah-chat-prompt-input-sticky-card:not(:empty) { padding-block: 4px; }
#symposium .mynah-chat-prompt-input-sticky-card > .mynah-chat-item-card { margin: 0; padding: 6px 8px; width: 100%; max-width: 100%; box-sizing: border-box; border: 1px solid var(--vscode-contrastBorder, var(--mynah-color-border-default)); border-radius: var(--mynah-card-radius); background: var(--vscode-editor-background); }
#symposium .mynah-chat-prompt-input-sticky-card > .mynah-chat-item-card > .mynah-card { padding: 0; gap: 6px; border: none; background: none; }
#symposium .mynah-chat-wrapper > .mynah-chat-prompt-input-info:empty, #symposium .mynah-chat-wrapper-footer-spacer { display: none; }
#symposium .mynah-prompt-input-options .mynah-form-input-wrapper { display: flex; flex-flow: row nowrap; align-items: center; gap: 4px; color: var(--vscode-descriptionForeground); font-size: var(--mynah-font-size-small); white-space: nowrap; }
#symposium .mynah-prompt-input-options .mynah-form-input-label:not(:has(> div:not(:empty))) { display: none; }
#symposium .mynah-prompt-input-options, #symposium .mynah-prompt-input-options > .mynah-chat-item-form-items-container { flex-flow: row wrap; min-width: 0; max-width: 100%; gap: 0 8px; }
#symposium .mynah-prompt-input-options .mynah-form-input-wrapper, #symposium .mynah-prompt-input-options .mynah-form-input-container { min-width: 0; max-width: 100%; }
#symposium .mynah-prompt-input-options .select-auto-width-sizer { font-size: var(--mynah-font-size-small); padding-inline-end: 1.5em; overflow: hidden; }
#symposium .mynah-prompt-input-options select { text-overflow: ellipsis; font-size: var(--mynah-font-size-small); color: inherit; }

#symposium .mynah-tab-item-label:has([role=tab]:focus-visible) { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
#symposium .mynah-tab-item-label > [role=tab]:focus-visible { outline: none !important; }
.symposium-tip { position: fixed; z-index: 1000; max-width: calc(100vw - 8px); box-sizing: border-box; padding: 2px 6px; border: 1px solid var(--vscode-contrastBorder, var(--vscode-editorHoverWidget-border, transparent)); border-radius: 3px; color: var(--vscode-editorHoverWidget-foreground, var(--vscode-foreground)); background: var(--vscode-editorHoverWidget-background, var(--vscode-editorWidget-background)); font-size: var(--mynah-font-size-small); overflow-wrap: anywhere; pointer-events: none; }
.symposium-tip[hidden] { display: none; }

#symposium :is(button, input, textarea, select, a, [tabindex]):focus-visible { outline: 1px solid var(--vscode-focusBorder) !important; outline-offset: -1px; }
#symposium .mynah-chat-prompt-input:focus-visible, #symposium:focus-visible { outline: none !important; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .mynah-button { border: 1px solid var(--vscode-contrastBorder) !important; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .mynah-button:hover { outline: 1px dashed var(--vscode-contrastActiveBorder, var(--vscode-focusBorder)); }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .mynah-chat-item-summary-button { border: none !important; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium a { text-decoration: underline; }
/* The system's own colours: what is painted as a background would be gone. */
@media (forced-colors: active) {
  #symposium .mynah-ui-icon { forced-color-adjust: none; background-color: ButtonText; color: ButtonText; }
  #symposium :disabled .mynah-ui-icon { background-color: GrayText; }
  #symposium .symposium-ring { forced-color-adjust: none; color: ButtonText; }
  #symposium .mynah-chat-prompt-input-info .mynah-card-body p::after { forced-color-adjust: none; background: CanvasText; }
  #symposium :is([role="option"][aria-selected="true"], [role="tab"][aria-selected="true"], [aria-pressed="true"]) { forced-color-adjust: none; background: Highlight; color: HighlightText; }
}
.vscode-reduce-motion #symposium *, .vscode-reduce-motion #symposium *::before, .vscode-reduce-motion #symposium *::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
@media (prefers-reduced-motion: reduce) { #symposium *, #symposium *::before, #symposium *::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; } }
${ownStyles}${composerStyles}
/* Symposium's elements in mynah's layout, and mynah's that depend on them. */
#symposium [data-kind] > .mynah-card:has(> .mynah-chat-item-card-summary) > .mynah-chat-item-buttons-container, #symposium [data-kind="tool"] > .mynah-card > .mynah-chat-item-buttons-container { order: 68; }
#symposium .mynah-chat-prompt-wrapper { position: relative; }
#symposium .mynah-chat-prompt .symposium-chips { padding-block: 1px 4px; }
#symposium .mynah-chat-wrapper .mynah-chat-prompt-wrapper .mynah-chat-prompt-button-wrapper > .mynah-button.mynah-chat-prompt-stop-button:not(.hidden) + .mynah-chat-prompt-button { display: flex; }
#symposium .mynah-chat-wrapper .symposium-sendable .mynah-chat-prompt-button-wrapper > .mynah-chat-prompt-button:not([disabled]) { pointer-events: auto; }
#symposium .mynah-chat-wrapper .symposium-sendable .mynah-chat-prompt-button-wrapper > .mynah-chat-prompt-button:not([disabled]) i { color: inherit; }
/* Its cards have layers of their own, which must not lie over the lists at the prompt. */
#symposium .mynah-chat-items-container { isolation: isolate; }
${speedStyles}`;
