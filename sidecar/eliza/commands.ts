/** Parses a prompt to Eliza: a conversation, or one of two commands that use the session's MCP servers. */
import { isObject, type JsonObject } from "../rpc/json";

export type Asked =
  | { readonly kind: "talk"; readonly text: string }
  | { readonly kind: "list"; readonly server: string }
  | { readonly kind: "use"; readonly server: string; readonly tool: string; readonly json: string };

const LIST = /^list tools from ([\w.-]+)$/i;
/** Without `with …` the tool is called without arguments. */
const USE = /^use tool ([\w.-]+)::([\w./-]+)(?:\s+with\s+(\S.*))?$/is;

export function readPrompt(text: string): Asked {
  const line = text.trim();
  const [, listed] = LIST.exec(line) ?? [];
  if (listed !== undefined) return { kind: "list", server: listed };
  const [, server, tool, json = "{}"] = USE.exec(line) ?? [];
  return server === undefined || tool === undefined ? { kind: "talk", text } : { kind: "use", server, tool, json };
}

/** Returns the arguments, or an error message. */
export function readArguments(json: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return `The arguments are not JSON: ${error instanceof Error ? error.message : String(error)}.`;
  }
  return isObject(value) ? value : 'The arguments must be a JSON object, such as {"text": "hi"}.';
}
