/**
 * Names of secrets: members, variables, headers, options and query parameters. A name is split into words first.
 * `OPENAI_KEY`, `x-api-key` and `dbPassword` are secret; `maxTokens`, `tokenUrl` and `monkey` are not. Pure; bounded by
 * `MAX_NAME_LENGTH`.
 */

const MAX_NAME_LENGTH = 100;

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

/** Words that make a name secret at any position. */
const SECRET_WORDS = setOf(`
  password passwords passwd passphrase passcode secret secrets token tokens authorization credential credentials
  cookie cookies bearer jwt apikey apikeys otp totp mnemonic assertion pwd authtoken
`);
/** The same for compound words: `pgpassword`, `accesstoken`. */
const SECRET_ENDING =
  /(?:token|secret|password|passwd|passphrase|apikey|accesskey|secretkey|privatekey|credentials?|[a-z]pass)$/;
const HARMLESS_WORDS = new Set(["bypass", "compass", "encompass", "overpass", "surpass", "trespass", "underpass"]);
/** Final words that describe a secret instead of naming it: kind, number, location. */
const DESCRIBING_WORDS = setOf(`
  algorithm at budget count counts dir directory endpoint expiration expires expiry file helper kind length limit
  limits ms name names path prefix size stdin ttl type types uri url usage used
`);
/**
 * Words before `key` that make it secret in any spelling. In capitals, any `OTHER_KEY` is secret unless it is in
 * `OPEN_KEYS`.
 */
const SECRET_KEYS = setOf(`
  access account admin anthropic api app application auth bot client consumer decryption deploy encryption gemini
  license master mistral openai private root secret service shared signing ssh storage subscription webhook
`);
const OPEN_KEYS = setOf(`
  arrow cache column config enter escape event file foreign group home hot idempotency index item list map meta
  modifier object partition path primary public query record registry routing row search session shift shortcut sort
  unique
`);
const CODE_PREFIXES = new Set(["auth", "authorization", "backup", "device", "oauth", "recovery", "verification"]);
/** MCP's progress token, and the shell's working directory variables. */
const HARMLESS_NAMES = new Set(["progress token", "pwd", "oldpwd"]);
const SECRET_NAMES = new Set(["auth", "code verifier", "connection string", "seed phrase", "saml response"]);

/** The words of a name, in lower case. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(-MAX_NAME_LENGTH)
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(word => word !== "");
}

/** Whether a value with this name is a secret. */
export function isSecretName(name: string): boolean {
  const cached = memo.get(name);
  if (cached !== undefined) return cached;
  if (memo.size >= MEMO_SIZE) memo.clear();
  const result = isSecret(name);
  if (name.length <= MAX_NAME_LENGTH) memo.set(name, result);
  return result;
}
const memo = new Map<string, boolean>(),
  MEMO_SIZE = 2_000;

function isSecret(name: string): boolean {
  const words = wordsOf(name),
    last = words.at(-1) ?? "",
    before = words.at(-2) ?? "",
    all = words.join(" ");
  if (last === "" || HARMLESS_NAMES.has(all) || DESCRIBING_WORDS.has(last)) return false;
  if (
    SECRET_NAMES.has(all) ||
    words.some(word => SECRET_WORDS.has(word) || (SECRET_ENDING.test(word) && !HARMLESS_WORDS.has(word)))
  )
    return true;
  if (last === "pass" || last === "pw") return words.length > 1;
  if (last === "code") return CODE_PREFIXES.has(before);
  if (last === "auth") return /_AUTH$/.test(name);
  if (last !== "key" && last !== "keys") return false;
  return (
    SECRET_KEYS.has(before) ||
    (words.length > 1 && !OPEN_KEYS.has(before) && (/_KEYS?$/.test(name) || words[0] === "x"))
  );
}

/** Whether a name counts tokens, like `maxTokens` and `tokens`: a number with such a name is not a secret. */
export function isCount(name: string): boolean {
  return wordsOf(name).at(-1) === "tokens";
}

const SECRET_FLAGS = new Set(["auth", "key", "keys", "pass", "pat", "pw", "pwd", "sig"]);

/** `name`: an option with its dashes. */
export function isSecretFlag(name: string): boolean {
  const bare = name.replace(/^-+/, "");
  return (
    /^-{1,2}[\w.-]+$/.test(name) &&
    (isSecretName(bare) || (name.startsWith("--") && SECRET_FLAGS.has(bare.toLowerCase())))
  );
}

const SECRET_PARAMETERS = setOf(`
  access assertion auth awsaccesskeyid code hmac jsessionid key pass pwd sas session sessionid sid sig signature
  ticket xamzcredential xamzsignature xgoogcredential xgoogsignature
`);

/** `name`: a query parameter of a URL, where short names suffice. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || SECRET_PARAMETERS.has(wordsOf(name).join(""));
}

/** Headers whose whole value is secret, up to the end of the line. */
export function isSecretHeader(name: string): boolean {
  return /(?:^|[._-])authorization$|(?:^|[._-])cookie2?$/i.test(name);
}

/**
 * Single-letter options that take a password, by program. `attached`: written without a space. `pair`: `user:password`.
 */
interface ShortFlag {
  readonly flag: string;
  readonly attached?: true;
  readonly pair?: true;
}
const SHORT_FLAGS: ReadonlyMap<string, readonly ShortFlag[]> = new Map<string, readonly ShortFlag[]>([
  ...same(["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"], { flag: "-p", attached: true }),
  ...same(["sshpass", "mongo", "mongosh", "mongodump", "rabbitmqadmin"], { flag: "-p" }),
  ...same(
    ["docker", "podman", "nerdctl", "helm", "oras", "skopeo", "az"].map(name => `${name} login`),
    { flag: "-p" },
  ),
  ...same(["sqlcmd", "zip", "unzip"], { flag: "-P" }),
  ["redis-cli", [{ flag: "-a" }]],
  [
    "curl",
    [
      { flag: "-u", pair: true },
      { flag: "-U", pair: true },
    ],
  ],
  ["ldapsearch", [{ flag: "-w" }]],
]);
function same(programs: readonly string[], flag: ShortFlag): readonly (readonly [string, readonly ShortFlag[]])[] {
  return programs.map(program => [program, [flag]]);
}
export const PROGRAMS: ReadonlySet<string> = new Set(
  [...SHORT_FLAGS.keys()].map(program => program.split(" ")[0] ?? program),
);

/** The option of `program` (`mysql`, `docker login`) that `word` equals or starts with. */
export function shortFlagOf(program: string, word: string): ShortFlag | undefined {
  return SHORT_FLAGS.get(program)?.find(({ flag, attached }) =>
    attached === true ? word.length > flag.length && word.startsWith(flag) : word === flag,
  );
}

/** Schemes of the `Authorization` header, in lower case. */
export const SCHEMES = new Set("bearer basic token digest negotiate apikey api-key aws4-hmac-sha256 key".split(" "));

/** Placeholders for a missing or referenced value. */
export const NO_VALUE = new RegExp(
  `^(?:${[
    "null|undefined|none|nil|true|false|yes|no|string|number|boolean|object|array",
    "\\.\\.\\.|…|\\*+|\\[redacted\\]",
    "\\$\\{\\w+\\}|\\$\\(\\w+\\)|\\{\\{[\\w .]+\\}\\}|%\\w+%|<[\\w -]+>",
  ].join("|")})$`,
  "i",
);
