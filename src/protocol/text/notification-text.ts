/**
 * Text of a notification. VS Code renders `[text](address)` in notifications as links, and opens `command:` addresses.
 * Texts may contain names of packages, files and folders, which anyone can choose. Pure.
 *
 * Invariant: the result contains no link and no hidden character.
 */
import { visibleLine } from "./visible-text";

export function notificationText(text: string): string {
  return visibleLine(text).replaceAll("](", "] (");
}
