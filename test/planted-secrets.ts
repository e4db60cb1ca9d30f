/**
 * Generators of secrets for each published rule (by its gitleaks id, if any). Further generators cover each syntax in
 * which a program, a shell, a header or an address assigns a value to a name. All are random and belong to no account.
 */
import fc from "fast-check";

/** `text`: the written form. `secret`: the part that must be redacted. */
export interface Planted {
  readonly text: string;
  readonly secret: string;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz",
  DIGITS = "0123456789",
  UPPER = LOWER.toUpperCase(),
  LETTERS = LOWER + UPPER + DIGITS,
  HEX = `${DIGITS}abcdef`,
  WORD = `${LETTERS}_-`;

const of = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });

/** A prefix and a random body. */
const token = (prefix: string, alphabet: string, length: number): fc.Arbitrary<Planted> =>
  of(alphabet, length).map(secret => ({ text: prefix + secret, secret }));
const shaped = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<Planted> =>
  fc
    .tuple(...parts.map(part => (typeof part === "string" ? fc.constant(part) : part)))
    .map(all => ({ text: all.join(""), secret: all.join("") }));

export const TOKENS: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  "1password-secret-key": shaped("A3-", of(UPPER, 6), "-", of(UPPER, 11), "-", of(UPPER, 5), "-", of(UPPER, 5)),
  "1password-service-account-token": token("ops_eyJ", `${LETTERS}+/`, 260),
  "age-secret-key": token("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
  "airtable-personnal-access-token": shaped("pat", of(LETTERS, 14), ".", of(HEX, 64)),
  "alibaba-access-key-id": token("LTAI", LETTERS, 20),
  "anthropic-api-key": token("sk-ant-api03-", WORD, 93),
  "artifactory-api-key": token("AKCp", LETTERS, 69),
  "artifactory-reference-token": token("cmVmd", LETTERS, 59),
  "atlassian-api-token": token("ATATT3", `${LETTERS}_-=`, 186),
  "aws-access-token": fc
    .constantFrom("AKIA", "ASIA", "ABIA", "ACCA")
    .chain(prefix => token(prefix, `${UPPER}234567`, 16)),
  "aws-bedrock": token("ABSK", `${LETTERS}+/`, 120),
  "aws-secret-access-key": fc
    .string({
      unit: fc.tuple(of(LOWER, 1), of(UPPER, 1), of(DIGITS, 1), of(`${LETTERS}/+`, 1)).map(four => four.join("")),
      minLength: 10,
      maxLength: 10,
    })
    .map(secret => ({ text: secret, secret })),
  "azure-ad-client-secret": shaped(of(LETTERS, 3), of(DIGITS, 1), "Q~", of(WORD, 33)),
  "clickhouse-cloud-api-secret-key": token("4b1d", LETTERS, 38),
  "clojars-api-token": token("CLOJARS_", HEX, 60),
  "cloudflare-origin-ca-key": shaped("v1.0-", of(HEX, 24), "-", of(HEX, 146)),
  "databricks-api-token": token("dapi", HEX, 32),
  "digitalocean-pat": fc.constantFrom("doo_v1_", "dop_v1_", "dor_v1_").chain(prefix => token(prefix, HEX, 64)),
  "discord-webhook": fc
    .tuple(of(DIGITS, 18), of(WORD, 60))
    .map(([id, secret]) => ({ text: `https://discord.com/api/webhooks/${id}/${secret}`, secret })),
  "docker-pat": token("dckr_pat_", WORD, 27),
  "doppler-api-token": token("dp.pt.", LETTERS, 43),
  "dynatrace-api-token": shaped("dt0c01.", of(UPPER, 24), ".", of(UPPER, 64)),
  "easypost-api-token": token("EZAK", LETTERS, 54),
  "facebook-access-token": shaped(of(DIGITS, 15), "|", of(WORD, 30)),
  "flyio-access-token": token("fo1_", WORD, 43),
  "gcp-api-key": token("AIza", WORD, 35),
  "gcp-oauth-access-token": token("ya29.", WORD, 60),
  "gcp-oauth-client-secret": token("GOCSPX-", WORD, 28),
  "gcp-refresh-token": token("1//0", WORD, 60),
  "github-pat": fc.constantFrom("ghp_", "gho_", "ghu_", "ghs_", "ghr_").chain(prefix => token(prefix, LETTERS, 36)),
  "github-fine-grained-pat": token("github_pat_", `${LETTERS}_`, 82),
  "gitlab-tokens": fc
    .constantFrom(
      "glpat-",
      "gldt-",
      "glft-",
      "glimt-",
      "glagent-",
      "gloas-",
      "glptt-",
      "glrt-",
      "glsoat-",
      "glcbt-",
      "GR1348941",
    )
    .chain(prefix => token(prefix, WORD, 20)),
  "grafana-service-account-token": shaped("glsa_", of(LETTERS, 32), "_", of(HEX, 8)),
  "grafana-cloud-api-token": token("glc_", LETTERS, 40),
  "harness-api-key": shaped("pat.", of(WORD, 22), ".", of(LETTERS, 24), ".", of(LETTERS, 20)),
  "hashicorp-tf-api-token": shaped(of(LETTERS, 14), ".atlasv1.", of(WORD, 64)),
  "heroku-api-key-v2": token("HRKU-AA", WORD, 58),
  "huggingface-access-token": token("hf_", LOWER + UPPER, 34),
  "huggingface-organization-api-token": token("api_org_", LOWER + UPPER, 34),
  "infracost-api-token": token("ico-", LETTERS, 32),
  jwt: fc
    .tuple(of(LETTERS, 30), of(LETTERS, 60), of(WORD, 43))
    .map(([head, body, signature]) => ({ text: `eyJ${head}.eyJ${body}.${signature}`, secret: `${body}.${signature}` })),
  "linear-api-key": token("lin_api_", LETTERS, 40),
  "mailchimp-api-key": shaped(of(HEX, 32), "-us", of(DIGITS, 2)),
  "maxmind-license-key": shaped(of(LETTERS, 6), "_", of(LETTERS, 29), "_mmk"),
  "new-relic-user-api-key": token("NRAK-", LETTERS, 27),
  "notion-api-token": shaped("ntn_", of(DIGITS, 11), of(LETTERS, 35)),
  "npm-access-token": token("npm_", LETTERS, 36),
  "openai-api-key": fc
    .constantFrom("sk-", "sk-proj-", "sk-svcacct-", "sk-admin-")
    .chain(prefix => token(prefix, LETTERS, 48)),
  "openshift-user-token": token("sha256~", WORD, 43),
  "perplexity-api-key": token("pplx-", LETTERS, 48),
  "planetscale-password": token("pscale_pw_", WORD, 40),
  "postman-api-token": shaped("PMAK-", of(HEX, 24), "-", of(HEX, 34)),
  "prefect-api-token": token("pnu_", LETTERS, 36),
  "private-key": fc.array(of(`${LETTERS}+/`, 64), { minLength: 3, maxLength: 12 }).map(lines => ({
    text: `-----BEGIN RSA PRIVATE KEY-----\n${lines.join("\n")}\n-----END RSA PRIVATE KEY-----`,
    secret: lines.join("\n"),
  })),
  "pulumi-api-token": token("pul-", HEX, 40),
  "pypi-upload-token": token("pypi-AgEIcHlwaS5vcmc", WORD, 70),
  "readme-api-token": token("rdme_", HEX, 70),
  "rubygems-api-token": token("rubygems_", HEX, 48),
  "sendgrid-api-token": shaped("SG.", of(WORD, 22), ".", of(WORD, 43)),
  "sendinblue-api-token": shaped("xkeysib-", of(HEX, 64), "-", of(LETTERS, 16)),
  "sentry-user-token": token("sntryu_", HEX, 64),
  "settlemint-access-token": token("sm_aat_", LETTERS, 16),
  "shippo-api-token": token("shippo_live_", HEX, 40),
  "shopify-access-token": fc
    .constantFrom("shpat_", "shpca_", "shppa_", "shpss_")
    .chain(prefix => token(prefix, HEX, 32)),
  "slack-token": fc
    .constantFrom("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xapp-1-")
    .chain(prefix => token(prefix, `${LETTERS}-`, 40)),
  "slack-webhook-url": of(LETTERS, 24).map(secret => ({
    text: `https://hooks.slack.com/services/T0123ABCD/B0123ABCD/${secret}`,
    secret,
  })),
  "sonar-api-token": token("squ_", HEX, 40),
  "square-access-token": token("sq0atp-", WORD, 22),
  "stripe-access-token": fc
    .constantFrom("sk_live_", "sk_test_", "rk_live_", "whsec_")
    .chain(prefix => token(prefix, LETTERS, 24)),
  "telegram-bot-api-token": shaped(of(DIGITS.slice(1), 9), ":AA", of(WORD, 33)),
  "twilio-api-key": token("SK", HEX, 32),
  "typeform-api-token": token("tfp_", WORD, 59),
  "vault-service-token": token("hvs.", WORD, 95),
  "xai-api-key": token("xai-", LETTERS, 80),
};

/** Values without a recognizable form. */
const value = of(`${LETTERS}!@#%^*+:/?~._-`, 14).filter(text => /[A-Za-z\d]/.test(text) && !/^[-=[{|>]/.test(text));
const freeValue = fc
  .string({
    unit: fc.constantFrom(...LETTERS, ..." !@#$%^&*()=+[]{};:'\"\\|,.<>/?~`éß漢🎉"),
    minLength: 10,
    maxLength: 40,
  })
  .filter(text => text.trim().length >= 10 && !/^[\s[{|>]|\s$/.test(text));
const bothValues = fc.oneof(value, freeValue);

const MEMBERS = [
  "api_key",
  "apiKey",
  "OPENAI_KEY",
  "ANTHROPIC_API_KEY",
  "password",
  "dbPassword",
  "PGPASSWORD",
  "client_secret",
  "accessToken",
  "x-api-key",
  "refresh_token",
  "private_key",
  "passphrase",
  "AWS_SECRET_ACCESS_KEY",
  "AccountKey",
  "NPM_TOKEN",
  "_authToken",
  "aws_session_token",
  "credential",
];
const member = fc.constantFrom(...MEMBERS),
  FLAGS = ["--api-key", "--key", "--password", "--token", "--client-secret", "--pass", "--auth-token"],
  flag = fc.constantFrom(...FLAGS);
const planted = (
  secret: fc.Arbitrary<string>,
  name: fc.Arbitrary<string>,
  write: (secret: string, name: string) => string,
): fc.Arbitrary<Planted> =>
  fc.tuple(secret, name).map(([given, called]) => ({ text: write(given, called), secret: given }));
const alone = (secret: fc.Arbitrary<string>, write: (secret: string) => string): fc.Arbitrary<Planted> =>
  planted(secret, fc.constant(""), write);
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "’")}'`;

/** Values that are recognizable by their position only. */
export const PLACES: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  "a variable": planted(value, member, (secret, name) => `${name}=${secret}`),
  "a quoted variable": planted(
    value.map(text => `${text} ${text}`),
    member,
    (secret, name) => `export ${name}="${secret}"`,
  ),
  "a member of YAML": planted(value, member, (secret, name) => `${name}: ${secret}`),
  "a member of JSON": planted(freeValue, member, (secret, name) => JSON.stringify({ a: 1, [name]: secret, b: [2] })),
  "a member of indented JSON": planted(freeValue, member, (secret, name) =>
    JSON.stringify({ [name]: secret }, null, 2),
  ),
  "a list in JSON": planted(
    freeValue.filter(text => !/[[\]{}"\\]/.test(text)),
    fc.constantFrom("api_keys", "passwords", "secrets"),
    (secret, name) => JSON.stringify({ [name]: ["x", secret] }),
  ),
  "a pair in JSON": planted(freeValue, fc.constantFrom("API_KEY", "MY_TOKEN", "X-Api-Key"), (secret, name) =>
    JSON.stringify({ env: [{ name, value: secret }] }),
  ),
  "an object of JavaScript": planted(
    value,
    member,
    (secret, name) => `{ ${/^\w+$/.test(name) ? name : `'${name}'`}: '${secret}' }`,
  ),
  "a hash of Ruby": planted(value, member, (secret, name) => `"${name}" => "${secret}"`),
  "an element of XML": planted(
    value,
    fc.constantFrom("password", "apiKey", "clientSecret"),
    (secret, name) => `<${name}>${secret}</${name}>`,
  ),
  "an option and its value": planted(value, flag, (secret, name) => `agent run ${name} ${secret} --verbose`),
  "an option with its value": planted(value, flag, (secret, name) => `agent run ${name}=${secret} --verbose`),
  "a quoted value of an option": planted(
    value.map(text => `${text} ${text}`),
    flag,
    (secret, name) => `agent ${name} ${shellQuoted(secret)}`,
  ),
  "options in a list": planted(freeValue, flag, (secret, name) => JSON.stringify(["agent", name, secret, "-v"])),
  "mysql -p": alone(value, secret => `mysql -u root -p${secret} db`),
  "sshpass -p": alone(value, secret => `sshpass -p ${secret} ssh host`),
  "docker login -p": alone(value, secret => `docker login -u me -p ${secret} host`),
  "redis-cli -a": alone(value, secret => `redis-cli -a ${secret} ping`),
  "curl -u": alone(value, secret => `curl -s -u me:${secret} https://host/path`),
  "curl -H": alone(value, secret => `curl -H "x-api-key: ${secret}" https://host/path`),
  "Authorization: Bearer": alone(value, secret => `Authorization: Bearer ${secret}`),
  "Authorization: token": alone(value, secret => `Authorization: token ${secret}`),
  "Authorization: Basic": alone(
    value,
    secret => `authorization: Basic ${Buffer.from(`me:${secret}`).toString("base64")}`,
  ),
  Bearer: alone(of(LETTERS, 24), secret => `sent Bearer ${secret}`),
  "x-api-key:": alone(value, secret => `x-api-key: ${secret}`),
  "a cookie": alone(
    value.filter(text => !text.includes("…")),
    secret => `Cookie: theme=dark; sid=${secret}; lang=en`,
  ),
  "Set-Cookie": alone(value, secret => `Set-Cookie: sid=${secret}; Path=/; HttpOnly`),
  "a parameter of an address": planted(
    of(`${LETTERS}%._~-`, 20),
    fc.constantFrom("sig", "token", "access_token", "key", "code", "X-Amz-Signature", "api_key"),
    (secret, name) => `https://host/a?x=1&${name}=${secret}&y=2`,
  ),
  "a user and a password": alone(of(`${LETTERS}!$%^*+~._-`, 14), secret => `postgres://me:${secret}@db.host:5432/main`),
  "a token as the user": alone(of(LETTERS, 24), secret => `https://${secret}@git.host/a/b.git`),
  "a password with @ and /": alone(
    of(LETTERS, 8).map(text => `${text}@p/w${text}`),
    secret => `redis://me:${secret}@host:6379/0`,
  ),
  ".netrc": alone(value, secret => `machine host login me password ${secret}`),
  ".npmrc": alone(value, secret => `//host/:_authToken=${secret}`),
  "a connection string": alone(
    of(`${LETTERS}+/=`, 40),
    secret => `DefaultEndpointsProtocol=https;AccountName=me;AccountKey=${secret}`,
  ),
};

/** Structures that contain such a value, with the value itself. */
export const STRUCTURES: Readonly<Record<string, fc.Arbitrary<{ readonly value: unknown; readonly secret: string }>>> =
  {
    "a member": fc.tuple(member, freeValue).map(([name, secret]) => ({ value: { [name]: secret }, secret })),
    "a member of a member": fc.tuple(member, freeValue).map(([name, secret]) => ({
      value: { credentials: { kind: "x", anything: [secret] }, [name]: { list: [{ deep: secret }] } },
      secret,
    })),
    arguments: fc
      .tuple(flag, bothValues)
      .map(([name, secret]) => ({ value: { command: "agent", args: ["run", name, secret, "-v"] }, secret })),
    "an argument": fc
      .tuple(flag, bothValues)
      .map(([name, secret]) => ({ value: { args: ["run", `${name}=${secret}`] }, secret })),
    "an argument with a variable": fc
      .tuple(member, freeValue)
      .map(([name, secret]) => ({ value: { args: ["-e", `${name}=${secret}`] }, secret })),
    "arguments of a known program": value.map(secret => ({
      value: { args: ["/usr/bin/sshpass", "-p", secret, "ssh"] },
      secret,
    })),
    variables: freeValue.map(secret => ({ value: { env: { ANYTHING: secret } }, secret })),
    "a list of variables": freeValue.map(secret => ({ value: { env: [{ name: "ANYTHING", value: secret }] }, secret })),
    headers: freeValue.map(secret => ({ value: { headers: [{ name: "X-Anything", value: secret }] }, secret })),
    "a pair": freeValue.map(secret => ({ value: [{ name: "API_TOKEN", value: secret }], secret })),
    "a map of headers": of(LETTERS, 20).map(secret => ({
      value: { sent: new Headers({ authorization: `Bearer ${secret}` }) },
      secret,
    })),
    "an address": of(LETTERS, 20).map(secret => ({
      value: { at: new URL(`https://me:${secret}@host/?token=${secret}`) },
      secret,
    })),
    "an error": of(LETTERS, 20).map(secret => ({
      value: { error: new Error(`refused: Authorization: Bearer ${secret}`) },
      secret,
    })),
    "a number": fc
      .integer({ min: 100_000, max: 999_999_999 })
      .map(secret => ({ value: { password: secret }, secret: String(secret) })),
  };

/** Surroundings of a text on one line. A token ends before the first character outside its alphabet. */
const BEFORE = [
  "",
  " ",
  "\n",
  "see ",
  "x=",
  "a: ",
  "(",
  "[",
  "`",
  "“",
  "- ",
  "2026-01-01T00:00:00Z [info] agent: ",
  "\u001B[32m",
  "\u001B[1;31m",
  "https://host/path?x=",
  "/",
  ", ",
  "=> ",
  "\\n",
  "%3D",
];
const AFTER = [
  "",
  " ",
  "\n",
  ".",
  ",",
  ";",
  ")",
  "]",
  "`",
  "”",
  ' {"agent":"a"}',
  "\u001B[0m",
  "\\n next",
  "&y=2",
  " and more",
];
export const embeddings: fc.Arbitrary<(text: string) => string> = fc
  .tuple(fc.constantFrom(...BEFORE), fc.constantFrom(...AFTER), fc.nat(3))
  .map(([before, after, depth]) => text => {
    let all = before + text + after;
    for (let i = 0; i < depth; i++) all = JSON.stringify({ detail: all, n: i });
    return all;
  });
/** Surroundings for texts that need a separate line. */
export const nestings: fc.Arbitrary<(text: string) => string> = fc
  .tuple(fc.constantFrom("", "\n", "first\n", "    "), fc.constantFrom("", "\n", "\nlast"), fc.nat(3))
  .map(([before, after, depth]) => text => {
    let all = before + text + after;
    for (let i = 0; i < depth; i++) all = JSON.stringify([i, { detail: all }]);
    return all;
  });

/** Spellings of a secret at any depth of JSON, and in an address. */
export function spellings(secret: string): readonly string[] {
  const all = [secret, encodeURIComponent(secret)];
  for (let i = 0, text = secret; i < 4; i++) all.push((text = JSON.stringify(text).slice(1, -1)));
  return [...new Set(all)];
}
