/** Styles of Symposium's own elements: forms, dock, command list. They use only VS Code theme variables. */
export const ownStyles = `
#symposium .symposium-unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
#symposium [class^="symposium-"][hidden], #symposium .symposium-bypassed > [hidden], #symposium .symposium-none { display: none !important; }

#symposium .symposium-form { order: 40; display: flex; flex-direction: column; gap: 10px; min-width: 0; }
#symposium .symposium-form[inert] { opacity: 0.6; }
#symposium .symposium-form p { margin: 0; }
#symposium .symposium-form-title { font-weight: 600; }
#symposium .symposium-form-about, #symposium .symposium-note { color: var(--vscode-descriptionForeground); font-size: var(--symposium-font-size-small); overflow-wrap: anywhere; }
#symposium .symposium-field { display: flex; flex-direction: column; gap: 3px; margin: 0; padding: 0; border: none; min-width: 0; }
#symposium .symposium-label { padding: 0; font-weight: 600; overflow-wrap: anywhere; }
#symposium .symposium-required { font-weight: normal; color: var(--vscode-descriptionForeground); }
#symposium .symposium-field > :is(input:not([type="checkbox"]), textarea, select) { box-sizing: border-box; width: 100%; min-height: 26px; padding: 3px 6px; font: inherit; color: var(--vscode-input-foreground); background: var(--vscode-input-background); border: 1px solid var(--vscode-settings-textInputBorder, var(--vscode-input-border, var(--vscode-contrastBorder, color-mix(in srgb, var(--vscode-foreground) 30%, transparent)))); border-radius: 2px; }
:is(.vscode-dark, .vscode-high-contrast:not(.vscode-high-contrast-light)) #symposium :is(.symposium-form, select) { color-scheme: dark; }
#symposium .symposium-field > select { color: var(--vscode-settings-dropdownForeground, var(--vscode-dropdown-foreground)); background: var(--vscode-settings-dropdownBackground, var(--vscode-dropdown-background)); border-color: var(--vscode-settings-dropdownBorder, var(--vscode-dropdown-border)); }
#symposium .symposium-field > textarea { resize: vertical; min-height: 4.5em; }
#symposium .symposium-field :is(input, textarea, select)::placeholder { color: var(--vscode-input-placeholderForeground); }
#symposium .symposium-option { display: flex; gap: 6px; align-items: flex-start; padding: 3px 0; cursor: pointer; overflow-wrap: anywhere; }
#symposium .symposium-option > input { flex: none; width: 16px; height: 16px; margin: 1px 0 0; accent-color: var(--vscode-button-background); }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .symposium-option > input { accent-color: var(--vscode-focusBorder); }
#symposium .symposium-option .symposium-note { display: block; }
#symposium .symposium-wrong { color: var(--vscode-errorForeground); font-size: var(--symposium-font-size-small); overflow-wrap: anywhere; }
#symposium .symposium-wrong:empty { display: none; }
#symposium .symposium-field > [aria-invalid="true"] { border-color: var(--vscode-inputValidation-errorBorder, var(--vscode-errorForeground)) !important; }
#symposium .symposium-form-buttons { display: flex; flex-wrap: wrap; gap: 6px; }
#symposium .symposium-button { min-height: 24px; padding: 2px 10px; font: inherit; border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent)); border-radius: var(--symposium-button-radius); cursor: pointer; }
#symposium .symposium-button.symposium-main { background: var(--vscode-button-background); color: var(--vscode-button-foreground); }
#symposium .symposium-button.symposium-main:hover { background: var(--vscode-button-hoverBackground, var(--vscode-button-background)); }
#symposium .symposium-button.symposium-plain { background: var(--vscode-button-secondaryBackground, transparent); color: var(--vscode-button-secondaryForeground); border-color: var(--vscode-button-secondaryBorder, var(--vscode-button-border, var(--vscode-contrastBorder, transparent))); }
#symposium .symposium-button.symposium-plain:hover { background: var(--vscode-button-secondaryHoverBackground, var(--vscode-button-secondaryBackground, transparent)); }

#symposium .symposium-terminal { --symposium-terminal-background: var(--vscode-terminal-background, var(--vscode-panel-background, var(--vscode-editor-background))); order: 66; display: flex; flex-direction: column; gap: 3px; min-width: 0; padding: 6px 8px; border: 1px solid var(--vscode-contrastBorder, var(--symposium-border)); border-radius: 3px; background: var(--symposium-terminal-background); color: var(--vscode-terminal-foreground, var(--vscode-foreground)); }
#symposium .symposium-terminal-head { display: flex; gap: 8px; justify-content: space-between; align-items: flex-start; }
#symposium .symposium-terminal-command { font-family: var(--vscode-editor-font-family, monospace); font-size: var(--symposium-font-size-small); font-weight: 600; color: inherit; background: none; padding: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
#symposium .symposium-terminal-command::before { content: "$ "; color: var(--vscode-descriptionForeground); }
#symposium .symposium-terminal-state { flex: none; font-size: var(--symposium-font-size-small); color: var(--vscode-descriptionForeground); }
#symposium .symposium-terminal-state[data-tone="error"] { color: color-mix(in srgb, var(--symposium-error) 65%, var(--vscode-foreground)); }
#symposium .symposium-terminal-state[data-tone="success"] { color: color-mix(in srgb, var(--symposium-success) 60%, var(--vscode-foreground)); }
#symposium .symposium-terminal-output { margin: 0; max-height: 27em; overflow: auto; font-family: var(--vscode-editor-font-family, monospace); font-size: var(--symposium-font-size-small); line-height: 1.35; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 8; }
#symposium .symposium-terminal-output * { font-family: inherit; }
#symposium .symposium-link { align-self: flex-start; padding: 0 2px; border: none; background: none; color: var(--vscode-descriptionForeground); font: inherit; font-size: var(--symposium-font-size-small); text-decoration: underline; cursor: pointer; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .symposium-link { border: 1px solid var(--vscode-contrastBorder); }

#symposium .symposium-dock { flex: none; padding: 0 var(--symposium-spacing); color: var(--vscode-descriptionForeground); font-size: var(--symposium-font-size-small); }
#symposium .symposium-dock-line { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 10px; }
#symposium .symposium-dock button { min-width: 0; min-height: 24px; padding: 3px 4px; margin: 0; border: none; border-radius: 3px; background: none; color: inherit; font: inherit; text-align: start; cursor: pointer; }
#symposium .symposium-dock button:hover { background: var(--vscode-toolbar-hoverBackground); color: var(--vscode-foreground); }
#symposium .symposium-dock .symposium-plan { flex: 1 1 8em; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#symposium .symposium-plan-name { font-weight: 600; }
#symposium .symposium-plan[aria-expanded="true"] .symposium-plan-current { display: none; }
#symposium .symposium-chevron { display: inline-block; inline-size: 0.4em; block-size: 0.4em; margin-inline: 2px 7px; border: solid currentColor; border-width: 0 1.5px 1.5px 0; rotate: -45deg; translate: 0 -1px; }
#symposium [aria-expanded="true"] > .symposium-chevron { rotate: 45deg; translate: 0 -3px; }
#symposium .symposium-plan-steps { list-style: none; margin: 0; padding: 2px 4px 4px; max-height: 30vh; overflow-y: auto; color: var(--vscode-foreground); }
#symposium .symposium-plan-steps > li { display: flex; gap: 6px; padding: 1px 0; overflow-wrap: anywhere; position: relative; }
#symposium .symposium-plan-steps > li[data-state="done"] { color: var(--vscode-descriptionForeground); }
#symposium .symposium-plan-steps > li[data-state="current"] { font-weight: 600; }
#symposium .symposium-mark { flex: none; inline-size: 1em; text-align: center; }
#symposium .symposium-dock .symposium-usage { display: flex; align-items: center; gap: 5px; margin-inline-start: auto; font-variant-numeric: tabular-nums; }
#symposium .symposium-ring { flex: none; inline-size: 0.95em; block-size: 0.95em; border-radius: 50%; background: conic-gradient(currentColor calc(var(--part) * 360deg), color-mix(in srgb, currentColor 25%, transparent) 0); mask: radial-gradient(closest-side, transparent 58%, black 60%); }
#symposium .symposium-dock .symposium-usage[data-tone="warning"] { color: color-mix(in srgb, var(--vscode-editorWarning-foreground) 60%, var(--vscode-foreground)); }
#symposium .symposium-dock .symposium-follow[aria-pressed="true"] { background: var(--vscode-inputOption-activeBackground, var(--vscode-toolbar-activeBackground)); color: var(--vscode-inputOption-activeForeground, var(--vscode-foreground)); outline: 1px solid var(--vscode-inputOption-activeBorder, transparent); outline-offset: -1px; }
#symposium .symposium-bypassed { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; border-radius: 3px; font-weight: 600;
  color: var(--vscode-inputValidation-warningForeground, var(--vscode-foreground));
  background: var(--vscode-inputValidation-warningBackground, color-mix(in srgb, var(--vscode-editorWarning-foreground) 18%, transparent));
  border: 1px solid var(--vscode-contrastBorder, var(--vscode-inputValidation-warningBorder, var(--vscode-editorWarning-foreground))); }
#symposium .symposium-bypassed > :first-child { flex: 1 1 10em; }
#symposium .symposium-bypassed > p { margin: 0; padding: 3px 7px; }
#symposium .symposium-dock .symposium-bypassed > button { padding-inline: 7px; }
#symposium .symposium-dock .symposium-bypassed > .symposium-ask-again { flex: none; margin-inline-start: auto; text-decoration: underline; }
#symposium .symposium-dock .symposium-bypassed > button:hover { color: inherit; background: color-mix(in srgb, var(--vscode-editorWarning-foreground) 30%, var(--vscode-sideBar-background, transparent)); }

#symposium .symposium-more-place { display: inline-flex; }
#symposium .symposium-more { min-height: 24px; min-width: 26px; padding: 2px 6px; border: 1px solid var(--symposium-outline); border-radius: var(--symposium-button-radius); background: none; color: var(--vscode-foreground); font: inherit; line-height: 1; cursor: pointer; }
#symposium .symposium-more:hover, #symposium .symposium-more[aria-expanded="true"] { background: var(--vscode-toolbar-hoverBackground); }
#symposium .symposium-menu { position: fixed; inset: auto; margin: 0; padding: 4px; box-sizing: border-box; min-width: 12em; max-width: calc(100vw - 8px);
  color: var(--vscode-menu-foreground, var(--vscode-foreground)); background: var(--vscode-menu-background, var(--vscode-editorWidget-background));
  border: 1px solid var(--vscode-menu-border, var(--vscode-contrastBorder, var(--vscode-widget-border, transparent))); border-radius: 5px; box-shadow: 0 2px 8px var(--vscode-widget-shadow, transparent); }
#symposium .symposium-menu-item { display: block; box-sizing: border-box; width: 100%; min-height: 24px; padding: 3px 8px; border: none; border-radius: 3px; background: none; color: inherit; font: inherit; text-align: start; overflow-wrap: anywhere; cursor: pointer; }
#symposium .symposium-menu-item:is(:hover, :focus) { color: var(--vscode-menu-selectionForeground, inherit); background: var(--vscode-menu-selectionBackground, var(--vscode-list-hoverBackground)); }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .symposium-menu-item:is(:hover, :focus) { outline: 1px dashed var(--vscode-menu-selectionBorder, var(--vscode-contrastActiveBorder)); outline-offset: -1px; }
#symposium .symposium-dock .symposium-details-button { margin-inline-start: auto; }
#symposium .symposium-usage:not([hidden]) + .symposium-details-button { margin-inline-start: 0; }
#symposium .symposium-details { box-sizing: border-box; max-height: 40vh; overflow-y: auto; margin: 0 0 4px; padding: 6px 8px; border: 1px solid var(--vscode-contrastBorder, var(--symposium-border)); border-radius: 3px; color: var(--vscode-foreground); overflow-wrap: anywhere; }
#symposium .symposium-details :is(p, dl, dd, ol, ul, pre) { margin: 0; padding: 0; }
#symposium .symposium-details > dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 1px 8px; }
#symposium .symposium-details :is(dt, .symposium-details-heading, .symposium-details-state, summary) { color: var(--vscode-descriptionForeground); }
#symposium .symposium-details-heading { padding-top: 5px !important; }
#symposium .symposium-details > ol { list-style: none; }
#symposium .symposium-details > ol > li { padding: 3px 0; }
#symposium .symposium-details-name { font-weight: 600; }
#symposium .symposium-details :is([data-state="leftOut"], [data-state="toolsMissing"]) > .symposium-details-state { color: color-mix(in srgb, var(--vscode-editorWarning-foreground) 60%, var(--vscode-foreground)); }
#symposium .symposium-details > ol > li > ul { list-style: none; padding-inline-start: 10px; }
#symposium .symposium-details details { padding-inline-start: 10px; }
#symposium .symposium-details summary { min-height: 24px; line-height: 24px; cursor: pointer; }
#symposium .symposium-details pre { max-height: 12em; overflow: auto; padding: 4px 6px; white-space: pre-wrap; font-family: var(--vscode-editor-font-family, monospace); background: var(--vscode-textCodeBlock-background, transparent); border-radius: 3px; }
#symposium .symposium-usage-full { margin: 0; padding: 0 4px 3px; text-align: end; }

#symposium .symposium-completion { position: absolute; inset-inline: var(--symposium-spacing); inset-block-end: calc(100% - 2px); z-index: 20; }
#symposium .symposium-commands { max-height: min(40vh, 20em); overflow-y: auto; padding: 4px; color: var(--vscode-quickInput-foreground, var(--vscode-foreground)); background: var(--vscode-editorSuggestWidget-background, var(--vscode-editorWidget-background)); border: 1px solid var(--vscode-contrastBorder, var(--vscode-editorSuggestWidget-border, var(--vscode-widget-border, transparent))); border-radius: 4px; box-shadow: 0 0 8px 2px var(--vscode-widget-shadow, transparent); }
#symposium .symposium-command { display: flex; flex-wrap: wrap; gap: 0 8px; padding: 2px 6px; border-radius: 3px; cursor: pointer; }
#symposium .symposium-command-name { min-width: 0; font-weight: 600; overflow-wrap: anywhere; }
#symposium .symposium-command-about { flex: 1 1 8em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--vscode-descriptionForeground); }
#symposium .symposium-command:hover { background: var(--vscode-list-hoverBackground); color: var(--vscode-list-hoverForeground, inherit); }
#symposium .symposium-command[aria-selected="true"] { background: var(--vscode-quickInputList-focusBackground, var(--vscode-list-activeSelectionBackground)); color: var(--vscode-quickInputList-focusForeground, var(--vscode-list-activeSelectionForeground)); }
#symposium .symposium-command[aria-selected="true"] > span { color: inherit; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) #symposium .symposium-command[aria-selected="true"] { outline: 1px dashed var(--vscode-contrastActiveBorder, var(--vscode-focusBorder)); outline-offset: -1px; }
#symposium .symposium-command-hint { margin: 0; padding: 2px 8px; width: fit-content; max-width: 100%; box-sizing: border-box; overflow-wrap: anywhere; font-size: var(--symposium-font-size-small); color: var(--vscode-descriptionForeground); background: var(--vscode-editorWidget-background); border: 1px solid var(--vscode-contrastBorder, var(--vscode-widget-border, transparent)); border-radius: 4px; }
`;
