/** Messages that the kit sends through a proxy under test. */
import { EXTENSION_METHODS, PROXY_DIALECTS, type ProxyDialect } from "../acp/methods";

/** Dialects in the order in which they are tried. The published schema defines the first dialect. */
export const TRIED_DIALECTS = (["proxy", "_proxy", "meta"] as const).map(name => ({ name, ...PROXY_DIALECTS[name] }));
export type TriedDialect = (typeof PROXY_DIALECTS)[ProxyDialect] & { readonly name: ProxyDialect };

export const ECHO = EXTENSION_METHODS.conform_echo,
  FAIL = EXTENSION_METHODS.conform_fail,
  WAIT = EXTENSION_METHODS.conform_wait;
export const NOTIFY = EXTENSION_METHODS.conform_notify;
/** Contains members that a parser with 64-bit numbers, or a typed parser, would lose. */
export const EXACT =
  '{"_meta":{"symposium.dev/conform":{"n":1.50}},"big":9007199254740993,"sessionUpdate":null,"text":"caf\\u00e9"}';
/** Error that the successor returns. */
export const FAILURE = {
  code: -32_099,
  message: "Refused by the conformance kit",
  data: { reason: "conform", n: [1, 2] },
};
export const SESSION = "symposium-conform-session",
  UPDATES = 20;
/** Permission request of the successor, and the option that the client selects. */
export const PERMISSION = {
  sessionId: SESSION,
  toolCall: { toolCallId: "conform-call", title: "Do nothing" },
  options: [
    { optionId: "conform-yes", name: "Yes", kind: "allow_once" },
    { optionId: "conform-no", name: "No", kind: "reject_once" },
  ],
} as const;
