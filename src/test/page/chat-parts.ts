/**
 * Selectors of the chat's parts that have neither a role nor a mark of ours (`data-kind`, `data-part`, `data-picker`).
 * The only module of the tests that takes them from the page.
 */
import { selectors } from "../../../webview/mynah/selectors";

const { button, card, cardBody, cardContent, codeBlock, drawnButton, foldButton, icon } = selectors;
export const parts = { button, card, cardBody, cardContent, codeBlock, drawnButton, foldButton, icon };

/** The script that builds HTML anew from an allow-list, from the root of the checkout. */
export const ALLOWED_HTML = "webview/mynah/allowed-html.js";

/** The class that a selector of one class asks for. */
export const classOf = (selector: string): string => selector.replace(/^\./, "");
