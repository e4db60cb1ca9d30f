/**
 * Formats of secrets: tokens with a vendor's prefix, and a few patterns without one. The list follows the published
 * rules of gitleaks, whose ids are in `test/planted-secrets.ts`. The formats are less strict than these rules, because
 * a truncated token is a secret, too. Data.
 */

/**
 * Characters of a token's body.
 *
 * - `word`: letters, digits, `_`, `-`.
 * - `dotted`: also `.` and `=`.
 * - `base64`: also `+`, `/`, `=`, `.`.
 */
export type Alphabet = "digits" | "hex" | "upper" | "letters" | "word" | "dotted" | "base64";

export interface Form {
  readonly prefix: string;
  readonly of: Alphabet;
  /** Minimum length of the body. `exactly`: also its maximum, and the token ends there. */
  readonly minLength: number;
  readonly exactly?: true;
}

/** `prefixes`: separated by white space. */
function forms(alphabet: Alphabet, minLength: number, prefixes: string): readonly Form[] {
  return prefixes
    .trim()
    .split(/\s+/)
    .map(prefix => ({ prefix, of: alphabet, minLength }));
}
function exact(alphabet: Alphabet, length: number, prefixes: string): readonly Form[] {
  return forms(alphabet, length, prefixes).map(form => ({ ...form, exactly: true }));
}

export const FORMS: readonly Form[] = [
  // Model providers
  ...forms("word", 12, "sk- pk-lf- xai- pplx- nvapi- tvly-"),
  ...forms("letters", 20, "hf_ api_org_ gsk_ r8_ fw_ csk-"),
  // Source hosts and package registries
  ...forms("letters", 12, "ghp_ gho_ ghu_ ghs_ ghr_"),
  ...forms("letters", 12, "ghp- gho- ghs-"),
  ...forms("word", 12, "github_pat_ github_pat- GR1348941 CLOJARS_ bkua_ rdme_"),
  ...forms(
    "dotted",
    12,
    `
    glpat- gldt- glft- glffct- glimt- glagent- gloas- glptt- glrt- glsoat- glcbt- _gitlab_session=
  `,
  ),
  ...forms("letters", 30, "npm_"),
  ...forms("hex", 32, "rubygems_"),
  ...forms("word", 30, "pypi-"),
  ...forms("word", 12, "dckr_pat_ dckr_oat_"),
  ...forms("dotted", 12, "ATATT3 ATCTT3 ATBB"),
  ...forms("letters", 32, "cio"),
  ...forms("letters", 60, "AKCp"),
  ...forms("letters", 50, "cmVmd"),
  // Clouds
  ...exact("upper", 16, "AKIA ASIA ABIA ACCA"),
  ...exact("upper", 17, "A3T"),
  ...forms("base64", 60, "ABSK"),
  ...forms("base64", 20, "bedrock-api-key-"),
  ...forms("word", 30, "AIza"),
  ...forms("dotted", 12, "ya29."),
  ...forms("word", 20, "GOCSPX-"),
  ...forms("word", 20, "1//0"),
  ...forms("letters", 16, "LTAI"),
  ...forms("hex", 40, "doo_v1_ dop_v1_ dor_v1_"),
  ...forms("word", 30, "v1.0-"),
  ...forms("hex", 30, "dapi"),
  ...forms("base64", 30, "fo1_ fm1r_ fm1a_ fm2_"),
  ...forms("word", 20, "HRKU-"),
  ...forms("dotted", 16, "dp.pt. dp.st. dp.ct. dp.sa."),
  ...forms("word", 20, "nfp_ vcp_ sbp_ tk-us-"),
  ...forms("letters", 16, "ico-"),
  ...forms("hex", 32, "pul-"),
  ...forms("word", 20, "sha256~"),
  ...forms("letters", 24, "4b1d"),
  // Vaults and keys
  ...forms("word", 20, "hvs. hvb. hvr."),
  ...forms("upper", 20, "AGE-SECRET-KEY-1"),
  ...forms("base64", 30, "ops_eyJ"),
  ...forms("dotted", 24, "dt0c01."),
  // Chat, mail and messages
  ...forms("word", 10, "xoxa- xoxb- xoxp- xoxe- xoxe. xoxo- xoxr- xoxs- xapp-"),
  ...forms(
    "base64",
    20,
    `
    hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/ discord.com/api/webhooks/
    discordapp.com/api/webhooks/
  `,
  ),
  ...forms("dotted", 20, "SG."),
  ...exact("hex", 32, "SK key-"),
  ...forms("word", 20, "xkeysib- xsmtpsib- PMAK- tfp_ EAAG EAAC"),
  // Payment and commerce
  ...forms("letters", 10, "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_"),
  ...forms(
    "word",
    16,
    `
    whsec_ sq0atp- sq0csp- EAAA EZAK EZTK FLWSECK- FLWSECK_TEST- duffel_test_ duffel_live_ shippo_live_ shippo_test_
  `,
  ),
  ...forms("hex", 24, "shpat_ shpca_ shppa_ shpss_"),
  // Observability and tools
  ...forms(
    "word",
    16,
    `
    glsa_ glc_ NRAK- NRJS- NRII- sntryu_ lin_api_ lin_oauth_ ntn_ figd_ figo_ squ_ sqp_ sqa_ sgp_ pnu_ pscale_tkn_
    pscale_pw_ sm_aat_ sm_pat_ sm_sat_ fio-u- API-AK
  `,
  ),
  ...forms("dotted", 16, "pscale_oauth_"),
  ...forms("base64", 30, "sntrys_"),
  ...forms("upper", 24, "API-"),
  // JSON Web Tokens, also base64-encoded twice, and similar tokens
  ...forms("dotted", 17, "eyJ"),
  ...forms("dotted", 24, "ZXlK"),
];

/** Maximum of all minimum lengths. */
export const MAX_FORM_MINIMUM = Math.max(...FORMS.map(({ minLength }) => minLength));

/**
 * Patterns that require a regular expression. Each is matched against at most `SHAPE_WINDOW` characters and has no
 * nested repetition.
 */
export const SHAPES: readonly RegExp[] = [
  /^\d{8,10}:AA[\w-]{32,35}/, // Telegram
  /^pat[A-Za-z\d]{14}\.[a-f\d]{64}/, // Airtable
  /^A3-[A-Z\d]{6}-[A-Z\d]{5,11}(?:-[A-Z\d]{5}){2,3}/, // 1Password
  /^[\w~.]{3}\dQ~[\w~.-]{31,34}/, // Azure
  /^[A-Za-z\d]{6}_[A-Za-z\d]{29}_mmk/, // MaxMind
  /^[A-Za-z\d]{14}\.atlasv1\.[\w=-]{60,70}/, // Terraform
  /^[a-f\d]{32}-us\d{1,2}/, // Mailchimp
  /^(?:pat|sat)\.[\w-]{22}\.[A-Za-z\d]{24}\.[A-Za-z\d]{20}/, // Harness
  /^s\.[A-Za-z\d]{24}(?![A-Za-z\d])/, // Vault
  /^\d{15,16}(?:\||%7C)[\w-]{27,40}/i, // Facebook
  /^[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}/, // Discord
];
export const SHAPE_WINDOW = 160,
  MIN_SHAPE_LENGTH = 8;
