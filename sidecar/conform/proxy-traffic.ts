/** Messages that the kit sends through a proxy under test. */

/**
 * Dialect of the proxy protocol: the method that initializes a proxy, and the envelopes for messages of the successor.
 */
export interface ProxyDialect {
  readonly name: "proxy" | "_proxy" | "meta";
  readonly initialize: string;
  readonly request: string;
  readonly notification: string;
}

/** Dialects in the order in which they are tried. The first one is defined by the published schema. */
export const PROXY_DIALECTS: readonly ProxyDialect[] = [
  { name: "proxy", initialize: "proxy/initialize", request: "proxy/successor", notification: "proxy/successor" },
  { name: "_proxy", initialize: "_proxy/initialize", request: "_proxy/successor", notification: "_proxy/successor" },
  {
    name: "meta",
    initialize: "initialize",
    request: "_proxy/successor/request",
    notification: "_proxy/successor/notification",
  },
];

export const ECHO = "_symposium.dev/conform/echo",
  FAIL = "_symposium.dev/conform/fail",
  WAIT = "_symposium.dev/conform/wait";
export const NOTIFY = "_symposium.dev/conform/notify";
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
