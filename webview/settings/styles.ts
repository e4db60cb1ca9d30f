/**
 * Styles of the settings page. They use only VS Code theme variables; high-contrast themes get their outlines. The
 * layout works from 200 pixels to a full editor.
 */
export const styles = `
:root {
  --weak: var(--vscode-descriptionForeground);
  --line: var(--vscode-contrastBorder, var(--vscode-settings-headerBorder, var(--vscode-widget-border, color-mix(in srgb, var(--vscode-foreground) 15%, transparent))));
  --edge: var(--vscode-contrastBorder, transparent);
  /* The edge of a box is all that says where one is: what themes have for it is too faint for many. */
  --field: var(--vscode-contrastBorder, color-mix(in srgb, var(--vscode-foreground) 55%, transparent));
  --good: color-mix(in srgb, var(--vscode-charts-green, var(--vscode-terminal-ansiGreen)) 60%, var(--vscode-foreground));
  --warning: color-mix(in srgb, var(--vscode-editorWarning-foreground) 55%, var(--vscode-foreground));
  --error: color-mix(in srgb, var(--vscode-errorForeground) 65%, var(--vscode-foreground));
  --small: calc(var(--vscode-font-size, 13px) * 0.92);
}
html { scrollbar-gutter: stable; }
body { margin: 0; padding: 0; color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size, 13px); line-height: 1.4; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
p, ul, h1, h2, h3, pre, fieldset { margin: 0; padding: 0; border: none; font: inherit; }
ul { list-style: none; }
bdi, p, li, span, label { overflow-wrap: anywhere; min-width: 0; }

.page { box-sizing: border-box; max-width: 800px; margin: 0 auto; padding: 4px 10px 20px; }
.title { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.page[data-page] { padding: 20px 24px 40px; }
.page[data-page] > .title { position: static; width: auto; height: auto; clip-path: none; margin-block-end: 12px; font-size: 1.8em; font-weight: 600; color: var(--vscode-settings-headerForeground, var(--vscode-foreground)); }
.section { padding-block: 10px 4px; }
.section + .section { margin-block-start: 10px; border-block-start: 1px solid var(--line); }
h2 { font-size: 1.1em; font-weight: 600; color: var(--vscode-settings-headerForeground, var(--vscode-foreground)); }
.about, .origin { color: var(--weak); }
.origin, .under, .below, .registry { font-size: var(--small); }
.section > .about { margin-block: 2px 6px; }
.loading { padding: 10px 0; }

:is(.section, .notes):focus-visible, .row:focus { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
:is(button, input, pre):focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) :is(button, input, pre):focus-visible { outline-width: 2px; }

.rows { margin-inline: -6px; }
/* What is moved by keyboard is kept in sight by us; what stands beside it is no anchor. */
.extensions > .rows { overflow-anchor: none; }
.row { position: relative; scroll-margin-block: 8px; padding: 8px 6px; border-radius: 4px; display: flex; flex-direction: column; gap: 4px; }
.row + .row::before { content: ""; position: absolute; inset: 0 6px auto; border-block-start: 1px solid var(--line); }
:is(.row:focus, .row[aria-current], .row[data-moving])::before, :is(.row:focus, .row[aria-current], .row[data-moving]) + .row::before { border-color: transparent; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) .row[aria-current]:not(:focus) { outline: 1px solid var(--vscode-contrastBorder); outline-offset: -1px; }
.row:hover { background: var(--vscode-settings-rowHoverBackground, transparent); }
.row[aria-current] { background: var(--vscode-settings-focusedRowBackground, var(--vscode-list-hoverBackground)); }
.row[data-off] > .head > .name, .row[data-off] > .body > :not(.findings) { color: var(--weak); }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; min-width: 0; }
.head > input { flex: none; }
.name { flex: 0 1 auto; max-width: 100%; font-weight: 600; }
.name, .name > label > bdi, .name > bdi { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.name > label { cursor: pointer; }
.head:has(> .bin) { padding-inline-end: 26px; position: relative; }
.head > .name { min-width: 0; flex-basis: auto; }
.head:has(> .picture) > .name { max-width: calc(100% - 28px); }
.head:has(> input) > .name { max-width: calc(100% - 56px); }
.picture { flex: none; inline-size: 20px; block-size: 20px; object-fit: contain; }
.letter { display: grid; place-items: center; overflow: hidden; border-radius: 4px; font-size: 11px; font-weight: 600; background: var(--vscode-badge-background); color: var(--vscode-badge-foreground); border: 1px solid var(--edge); box-sizing: border-box; }
.ink { background: currentColor; mask: center / contain no-repeat; }
.sign { flex: none; inline-size: 16px; block-size: 16px; }
.marks { display: flex; flex-wrap: wrap; gap: 3px 4px; }
.mark { padding: 0 6px; font-size: calc(var(--vscode-font-size, 13px) * 0.85); line-height: 1.5; border-radius: 9px; color: var(--weak); border: 1px solid color-mix(in srgb, currentColor 45%, transparent); }
.mark[data-tone="good"] { color: var(--good); }
.mark[data-tone="warning"] { color: var(--warning); }
.mark[data-tone="error"] { color: var(--error); }
.mark[data-tone="current"] { color: var(--vscode-button-foreground); background: var(--vscode-button-background); border-color: var(--vscode-button-border, var(--edge)); }
.clipped { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; }
.body { display: flex; flex-direction: column; gap: 4px; min-width: 0; }

.buttons { display: flex; flex-wrap: wrap; gap: 6px; }
.body > .buttons { margin-block-start: 4px; }
.adding { margin-block: 6px 4px; }
.button { max-width: 100%; min-height: 24px; padding: 2px 10px; font: inherit; line-height: 1.35; text-align: center; overflow-wrap: anywhere; border: 1px solid var(--vscode-button-border, var(--edge)); border-radius: 2px; cursor: pointer; }
.button.main { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
.button.main:hover { background: var(--vscode-button-hoverBackground, var(--vscode-button-background)); }
.button.plain { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground, transparent); border-color: var(--vscode-button-secondaryBorder, var(--vscode-button-border, var(--edge))); }
.button.plain:hover { background: var(--vscode-button-secondaryHoverBackground, var(--vscode-button-secondaryBackground, transparent)); }
:is(.button, .grip, .bin):disabled { opacity: 0.5; cursor: default; }
.button.fold { display: inline-flex; align-items: center; color: inherit; background: none; border-color: var(--edge); padding-inline: 2px 8px; }
:is(.button.fold, .grip, .bin):hover:not(:disabled) { background: var(--vscode-toolbar-hoverBackground); }
.chevron { flex: none; inline-size: 0.4em; block-size: 0.4em; margin-inline: 2px 7px; border: solid currentColor; border-width: 0 1.5px 1.5px 0; rotate: -45deg; }
[aria-expanded="true"] > .chevron { rotate: 45deg; translate: 0 -2px; }
.button.link { min-height: 24px; padding: 2px 0; border-color: transparent; background: none; color: var(--vscode-textLink-foreground); }
.button.link:hover { color: var(--vscode-textLink-activeForeground, var(--vscode-textLink-foreground)); text-decoration: underline; }
.links-row { display: flex; flex-wrap: wrap; gap: 0 16px; margin-block-start: 2px; }
:is(.grip, .bin) { flex: none; display: grid; place-items: center; inline-size: 24px; block-size: 24px; padding: 0; color: var(--vscode-icon-foreground, inherit); background: none; border: 1px solid transparent; border-radius: 3px; cursor: pointer; }
.grip:first-child { margin-inline-start: -4px; cursor: grab; touch-action: none; }
.grip[aria-pressed="true"] { color: var(--vscode-inputOption-activeForeground, inherit); background: var(--vscode-inputOption-activeBackground, var(--vscode-toolbar-activeBackground)); border-color: var(--vscode-inputOption-activeBorder, var(--edge)); }
.head > .bin { position: absolute; inset-block-start: 0; inset-inline-end: 0; }
.head { min-height: 24px; }

.row[data-moving] { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); outline: 1px dashed var(--vscode-contrastActiveBorder, var(--vscode-focusBorder)); outline-offset: -1px; }
.row[data-moving] :is(.about, .origin, .mark, .grip, .bin, .name) { color: inherit; }
.row[data-moving="dragged"] { opacity: 0.7; }
.page:has([data-moving="dragged"]) { cursor: grabbing; user-select: none; }
.row[data-drop]::after { content: ""; position: absolute; inset-inline: 2px; block-size: 2px; background: var(--vscode-list-dropBetweenBackground, var(--vscode-focusBorder)); }
.row[data-drop="before"]::after { inset-block-start: -1px; }
.row[data-drop="after"]::after { inset-block-end: -1px; }

.progress { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; margin-block-start: 2px; }
.progress-label { flex: 1 1 8em; font-size: var(--small); }
.percent { flex: none; font-size: var(--small); font-variant-numeric: tabular-nums; }
progress { -webkit-appearance: none; appearance: none; order: 3; flex: 1 1 100%; block-size: 4px; border: none; border-radius: 2px; overflow: hidden; background: color-mix(in srgb, var(--vscode-foreground) 18%, transparent); }
progress::-webkit-progress-bar { background: transparent; }
progress::-webkit-progress-value { background: var(--vscode-progressBar-background); border-radius: 2px; }
progress:not([value]) { background: linear-gradient(90deg, transparent 0 35%, var(--vscode-progressBar-background) 35% 65%, transparent 65%) 0 / 200% 100% color-mix(in srgb, var(--vscode-foreground) 18%, transparent); animation: going 1.6s linear infinite; }
:is(.vscode-high-contrast, .vscode-high-contrast-light) progress { outline: 1px solid var(--vscode-contrastBorder); block-size: 6px; }
@keyframes going { from { background-position: 135% 0; } to { background-position: -65% 0; } }

.findings { display: flex; flex-direction: column; gap: 6px; margin-block-start: 2px; }
.notes { display: flex; flex-direction: column; gap: 6px; padding-block: 8px 4px; }
.finding { display: flex; gap: 8px; padding: 6px 8px; border: 1px solid var(--edge); border-inline-start: 3px solid var(--tone); border-radius: 3px; background: color-mix(in srgb, var(--tone) 8%, transparent); --tone: var(--vscode-charts-blue, var(--vscode-textLink-foreground)); }
.finding[data-tone="good"] { --tone: var(--vscode-charts-green, var(--vscode-terminal-ansiGreen)); }
.finding[data-tone="warning"] { --tone: var(--vscode-editorWarning-foreground); }
.finding[data-tone="error"] { --tone: var(--vscode-errorForeground); }
.finding > .sign { margin-block-start: 1px; color: color-mix(in srgb, var(--tone) 75%, var(--vscode-foreground)); }
.finding-body { flex: 1; display: flex; flex-direction: column; gap: 6px; min-width: 0; }
.detail { max-height: 16em; overflow: auto; padding: 6px 8px; font-family: var(--vscode-editor-font-family, monospace); font-size: var(--small); white-space: pre-wrap; overflow-wrap: anywhere; background: var(--vscode-textCodeBlock-background); border: 1px solid var(--edge); border-radius: 2px; }

.option { display: flex; align-items: flex-start; gap: 8px; padding-block: 3px; cursor: pointer; }
.option:has(> :disabled) { cursor: default; opacity: 0.6; }
.option > span { padding-block-start: 1px; }
.under { display: block; }
.below { padding-inline-start: 26px; }
.options { display: flex; flex-direction: column; }
.hazard { display: flex; gap: 8px; padding-inline-start: 1px; color: var(--warning); font-size: var(--small); }
.bypass[data-tone] > .option { color: var(--warning); }
input { appearance: none; -webkit-appearance: none; box-sizing: border-box; flex: none; inline-size: 18px; block-size: 18px; margin: 0; display: inline-grid; place-content: center; color: var(--vscode-settings-checkboxForeground, var(--vscode-checkbox-foreground, var(--vscode-foreground))); background: var(--vscode-settings-checkboxBackground, var(--vscode-checkbox-background)); border: 1px solid var(--field); border-radius: 3px; cursor: inherit; }
input[type="checkbox"] { cursor: pointer; }
input[type="radio"] { border-radius: 50%; }
input[type="checkbox"]:checked::before { content: ""; inline-size: 9px; block-size: 5px; margin-block-end: 3px; border: solid currentColor; border-width: 0 0 2px 2px; rotate: -45deg; }
input[type="radio"]:checked::before { content: ""; inline-size: 8px; block-size: 8px; border-radius: 50%; background: currentColor; }
input:disabled { cursor: default; }

@media (min-width: 420px) {
  .page { padding-inline: 16px; }
  .row { padding-inline: 10px; }
  .rows { margin-inline: -10px; }
  .row + .row::before { inset-inline: 10px; }
  .row[data-of="agent"] > :is(.body, .bypass) { padding-inline-start: 28px; }
  .row[data-of="extension"] > .body { padding-inline-start: 54px; }
}
@media (forced-colors: active) {
  .ink { forced-color-adjust: none; background: CanvasText; }
  input:checked::before { forced-color-adjust: none; color: CanvasText; }
  input[type="radio"]:checked::before { background: CanvasText; }
  progress { block-size: 6px; border: 1px solid CanvasText; }
  progress:not([value]) { forced-color-adjust: none; background: repeating-linear-gradient(90deg, Highlight 0 8px, Canvas 8px 16px); }
  progress::-webkit-progress-value { forced-color-adjust: none; background: Highlight; }
  .row[data-drop]::after { forced-color-adjust: none; background: Highlight; }
}
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; } }
.vscode-reduce-motion :is(*, ::before, ::after) { animation: none !important; transition: none !important; }
`;
