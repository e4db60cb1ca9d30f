/**
 * Estimates the tokens of a text or message. The estimate must be cheap, because VS Code requests one for every text of
 * every tool schema. Agents report their exact usage.
 */
import { isObject } from "../protocol/wire/json";

const CHARACTERS_PER_TOKEN = 4;
const IMAGE_TOKENS = 1_000;

/** `value`: a text or a message of VS Code. Never negative, and 0 for empty values. */
export function tokensOf(value: unknown): number {
  if (typeof value === "string") return Math.ceil(value.length / CHARACTERS_PER_TOKEN);
  return isObject(value) && Array.isArray(value["content"]) ? sum(value["content"]) : 0;
}

function tokensOfPart(part: unknown): number {
  if (!isObject(part)) return tokensOf(part);
  const { value, callId, name, input, content, mimeType, data } = part;
  if (typeof value === "string") return tokensOf(value);
  if (typeof callId === "string" && typeof name === "string")
    return tokensOf(name) + tokensOf(JSON.stringify(input ?? {}));
  if (Array.isArray(content)) return sum(content);
  if (typeof mimeType === "string" && data instanceof Uint8Array)
    return mimeType.startsWith("image/") ? IMAGE_TOKENS : Math.ceil(data.length / CHARACTERS_PER_TOKEN);
  return 0;
}

function sum(parts: readonly unknown[]): number {
  return parts.reduce((total: number, part) => total + tokensOfPart(part), 0);
}
