/**
 * Styles around the prompt: chips, queue, drop overlay. They use only VS Code theme variables, and borders for themes
 * without backgrounds.
 */
const EDGE = "var(--vscode-contrastBorder, color-mix(in srgb, var(--vscode-foreground) 22%, transparent))";

export const composerStyles = `
#symposium .symposium-icon { flex: none; inline-size: 1.1em; block-size: 1.1em; }
#symposium :is(.symposium-chips, .symposium-attached) { display: flex; flex-wrap: wrap; gap: 4px; min-width: 0; max-width: 100%; max-height: 7.5em; overflow-y: auto; margin: 0; padding: 0; list-style: none; font-size: var(--symposium-font-size-small); }
#symposium .symposium-attached > li { display: flex; min-width: 0; max-width: 100%; margin: 0; }
#symposium .symposium-chip { display: inline-flex; align-items: center; gap: 4px; min-width: 0; max-width: 100%; box-sizing: border-box; padding: 1px 5px; border: 1px solid ${EDGE}; border-radius: 4px; color: var(--vscode-foreground); background: var(--vscode-editorWidget-background, transparent); line-height: 1.45; text-decoration: none; }
#symposium .symposium-chip-name { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#symposium a.symposium-chip { cursor: pointer; color: var(--vscode-textLink-foreground); }
#symposium a.symposium-chip:hover { background: var(--vscode-toolbar-hoverBackground); text-decoration: underline; }
#symposium img.symposium-thumbnail { flex: none; inline-size: 1.5em; block-size: 1.5em; max-height: none; margin-inline-start: -2px; object-fit: cover; object-position: center; border-radius: 2px; }
#symposium .symposium-attached img.symposium-thumbnail { inline-size: auto; block-size: auto; max-inline-size: 12em; max-block-size: 6em; margin-block: 2px; object-fit: contain; }
#symposium .symposium-attached { order: 30; max-height: none; padding-block-start: 2px; }
#symposium .symposium-chip-remove { flex: none; display: inline-flex; align-items: center; justify-content: center; inline-size: 18px; block-size: 18px; margin: 0 -3px 0 0; padding: 0; border: none; border-radius: 3px; background: none; color: inherit; cursor: pointer; }
#symposium .symposium-chip-remove:hover { background: var(--vscode-toolbar-hoverBackground); }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .symposium-chip-remove:hover { outline: 1px dashed var(--vscode-contrastActiveBorder, var(--vscode-focusBorder)); outline-offset: -1px; }

#symposium .symposium-queue { display: flex; flex-direction: column; gap: 3px; margin-block: 2px 4px; }
#symposium .symposium-queue-head { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; }
#symposium .symposium-queue-about { margin: 0; flex: 1 1 10em; }
#symposium .symposium-queue-prompts { list-style: none; margin: 0; padding: 0; max-height: 30vh; overflow-y: auto; }
#symposium .symposium-queued { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0 8px; margin: 0; padding: 3px 6px; border: 1px solid ${EDGE}; border-block-end-width: 0; color: var(--vscode-foreground); }
#symposium .symposium-queued:first-child { border-start-start-radius: 4px; border-start-end-radius: 4px; }
#symposium .symposium-queued:last-child { border-block-end-width: 1px; border-end-start-radius: 4px; border-end-end-radius: 4px; }
#symposium .symposium-queued:not([data-state="waiting"]) { border-style: dashed; color: var(--vscode-descriptionForeground); }
#symposium .symposium-queued-what { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 3px 4px; flex: 1 1 10em; min-width: 0; padding-block: 2px; }
#symposium .symposium-queued-text { flex: 1 1 100%; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; line-height: 1.35; white-space: pre-line; overflow-wrap: anywhere; }
#symposium .symposium-queued-acts { flex: none; display: flex; gap: 2px; margin-inline-start: auto; }
#symposium .symposium-dock .symposium-queue button { padding: 2px 6px; color: var(--vscode-textLink-foreground); }
#symposium .symposium-dock .symposium-queue .symposium-queue-send { color: var(--vscode-button-foreground); background: var(--vscode-button-background); border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent)); }
#symposium .symposium-dock .symposium-queue .symposium-queue-send:hover { background: var(--vscode-button-hoverBackground, var(--vscode-button-background)); }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .symposium-queue button { border: 1px solid var(--vscode-contrastBorder) !important; }

#symposium .symposium-drop { position: absolute; inset: 0; z-index: 100; display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 4px; padding: 12px; text-align: center; pointer-events: none; color: var(--vscode-foreground); background: color-mix(in srgb, var(--vscode-sideBar-background, var(--vscode-editor-background)) 85%, var(--vscode-focusBorder)); outline: 2px dashed var(--vscode-focusBorder); outline-offset: -6px; }
#symposium .symposium-drop[hidden] { display: none; }
#symposium .symposium-drop p { margin: 0; font-weight: 600; }
#symposium .symposium-drop .symposium-drop-more { font-weight: normal; font-size: var(--symposium-font-size-small); }
`;
