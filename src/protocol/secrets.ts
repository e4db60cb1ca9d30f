/**
 * What may not reach a log or a trace: values under names that say "secret", what stands in `env` and `headers`, and tokens
 * that can be known by their form. Pure; linear in the length of what is looked at, whatever is in it.
 */
import { isObject } from "./json";

const SECRET_NAME = /api[_-]?key|token|secret|passw|authorization|cookie|credential|private[_-]?key/i;
/** MCP's handle for the progress of a request. */
const HANDLE = /progress_?token$/i;

/** Forms: `Bearer …`, user and password of an address, `NAME_TOKEN=…`, and the prefixes that vendors give their keys. */
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w+/=.~-]{8,}/gi, "$1 …"],
  [/\b(\w+:\/\/)[^\s/@:]+:[^\s/@]+@/g, "$1…@"],
  [/\b(\w{0,40}(?:api_?key|token|secret|password)\w{0,40}["']?\s{0,9}[=:]\s{0,9}["']?)[^\s"',;]{6,}/gi, "$1…"],
  [/\b(sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abp]|npm|AIza)[-_][\w-]{12,}/g, "$1…"],
  [/\bAIza[\w-]{30,}/g, "AIza…"],
];

/** Whether a value with this name is nobody's business. */
export function isSecretName(name: string): boolean { return SECRET_NAME.test(name) && !HANDLE.test(name); }

/** The text without the secrets that can be known by their form. */
export function withoutSecrets(text: string): string {
  return SECRET_FORMS.reduce((line, [form, instead]) => line.replace(form, instead), text);
}

const ELIDED = "…";
/** What parsers accept can be nested deeper than anybody can walk. */
const DEEPEST = 100;
const LISTS = /^(env|headers)$/i;

/** The same JSON value without secrets. Numbers stay: a count of tokens is none. */
export function elided(value: unknown): unknown { return withoutSecretsIn(value, false, 0); }

function withoutSecretsIn(value: unknown, secret: boolean, depth: number): unknown {
  if (typeof value === "string") return secret && value !== "" ? ELIDED : withoutSecrets(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return ELIDED;
  if (Array.isArray(value)) return value.map((item: unknown, i) => withoutSecretsIn(item, secret || isFlagForSecret(value[i - 1]), depth + 1));
  const named = isObject(value) && typeof value["name"] === "string" && isSecretName(value["name"]);
  return Object.fromEntries(Object.entries(value).map(([key, inner]: [string, unknown]) => [key,
    LISTS.test(key) ? withoutValues(inner, depth + 1) : withoutSecretsIn(inner, secret || isSecretName(key) || (named && key === "value"), depth + 1)]));
}

/** `["--api-key", "…"]` */
function isFlagForSecret(previous: unknown): boolean {
  return typeof previous === "string" && /^--?[\w-]+$/.test(previous) && isSecretName(previous);
}

/** Both `{NAME: value}` and `[{name, value}]`: names stay. */
function withoutValues(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => isObject(item) && "value" in item ? { ...item, value: ELIDED } : withoutSecretsIn(item, true, depth));
  return withoutSecretsIn(value, true, depth);
}
