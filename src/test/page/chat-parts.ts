/**
 * Selectors of chat parts that have neither a role nor one of our attributes (`data-kind`, `data-part`, `data-picker`).
 * Tests use no other selectors of the chat widget.
 */
import { selectors } from "../../../webview/mynah/selectors";

const { button, card, cardBody, cardContent, codeBlock, inlineCode, drawnButton, foldButton, icon } = selectors;
export const parts = { button, card, cardBody, cardContent, codeBlock, inlineCode, drawnButton, foldButton, icon };

/** Path of the HTML sanitizer, relative to the root of the checkout. */
export const ALLOWED_HTML = "webview/mynah/allowed-html.js";

/** The class name of a single-class selector. */
export const classOf = (selector: string): string => selector.replace(/^\./, "");
