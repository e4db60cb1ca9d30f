import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  KnownSecrets,
  knownSecrets,
  redactArguments,
  RedactedStream,
  redactError,
  redactText,
  redactValue,
} from "./redact";
import { secretsIn } from "./scan";

suite("redactText", () => {
  const table: readonly (readonly [given: string, shown: string])[] = [
    ["Authorization: Bearer abcdefghijkl", "Authorization: Bearer …"],
    ["see https://me:hunter22@host/x", "see https://…@host/x"],
    ["MY_TOKEN=abcdefgh next", "MY_TOKEN=… next"],
    ["use ghp_0123456789abcdef!", "use ghp_…!"],
    [`AIza${"x".repeat(35)}`, "AIza…"],
    ["--password=abcdefg", "--password=…"],
    ["node a.mjs --api-key=V1 --key V2", "node a.mjs --api-key=… --key …"],
    ["x-api-key: a-b-c", "x-api-key: …"],
    [`{"api_key": "a", "b": 1}`, `{"api_key": "…", "b": 1}`],
    ["Authorization: token abc", "Authorization: token …"],
    ["https://h/a?x=1&sig=a%2Fb&y=2", "https://h/a?x=1&sig=…&y=2"],
    ["Cookie: a=b; c=d", "Cookie: …"],
    [`{"e":"said {\\"password\\":\\"a \\\\\\" b\\",\\"c\\":1}"}`, `{"e":"said {\\"password\\":\\"…\\",\\"c\\":1}"}`],
    ["mysql -uroot -phunter db", "mysql -uroot -p… db"],
    [
      "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nnext",
      "-----BEGIN PRIVATE KEY-----…-----END PRIVATE KEY-----\nnext",
    ],
    [`Digest: x\nAuthorization: Digest username="u", response="abc"`, "Digest: x\nAuthorization: Digest …"],
    ["QUJDREVGR0hJSktM\nc2hvcnQ=\n-----END RSA PRIVATE KEY-----\ntoken=abc", "…-----END RSA PRIVATE KEY-----\ntoken=…"],
    ["<password>hunter</password>", "<password>…</password>"],
    ["machine h login me password hunter", "machine h login me password …"],
  ];
  for (const [given, shown] of table)
    test(`redacts the secret of ${JSON.stringify(given).slice(0, 60)}`, () => equal(redactText(given), shown));

  const ordinary: readonly string[] = [
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "550e8400-e29b-41d4-a716-446655440000",
    "session 019283aa-bbcc-7def-8123-456789abcdef opened",
    "/home/ada/.symposium/bin/codex/0.15.0/node_modules/.bin/codex-acp",
    "C:\\Users\\Ada\\AppData\\Local\\Programs\\Microsoft VS Code\\Code.exe",
    "the token was refused, and the password is wrong",
    "Unexpected token 'e', \"error\" is not valid JSON",
    "maxTokens: 4096, inputTokens=12, tokens: 900",
    "stopReason: max_tokens",
    "tokenizer: cl100k_base",
    "a bearer of bad news, a basic authentication scheme, Bearer authentication",
    'key: Enter, primaryKey: 1, cacheKey: "a", publicKey: b',
    "PATH=/usr/bin:/bin HOME=/home/ada PWD=/srv",
    "npm_config_user_agent=npm/10 npm_lifecycle_event=start",
    "http://localhost:8080/a@b",
    "https://github.com/owner/name/blob/main/src/index.ts?plain=1#L10",
    "git@github.com:owner/name.git",
    "https://registry.example/@scope/package/-/package-1.0.0.tgz",
    "toolu_01A09q90qw90lq917835lq9 call_Hk3jD9sKq2LmNpQr5TuVwXyZ",
    "error TS2322: Type 'string' is not assignable to type 'number'.",
    '{"sessionId":"s","stopReason":"end_turn","usage":{"inputTokens":12}}',
    'progressToken: 17, "progressToken":"p1"',
    "tokenUrl: https://host/oauth, passwordFile=/run/x, apiKeyHelper: helper.sh, token_type: bearer",
    "sha512-uGg5CU7kPvBqE4Ks2GD3Hhl9CKuXDRqTtU0Yq9sDfxMTlU3WXlHUi5+DkGZ2nTV2gFmO8DmH8bqHcQLbSyRpHg==",
    "passthrough compass bypass_permissions=true",
    "password=null token: undefined secret=${SECRET} api_key=<your key> TOKEN=***",
    "-p 8080 and claude -p prompt",
    "sk-learn and hf_hub",
    "ssh://git@host/path",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "2026-01-01T00:00:00.000Z [info] agent: Agent ready",
    "thisIsAVeryLongCamelCaseIdentifierForAHandlerOfVersion2OfTheProtocol",
    "src/app/components/Settings/AgentRow2/RowButtonGroup/index.tsx",
    "grüße, 漢字 и Жук",
    "",
    " ",
    "==== --- ==== :::: \"\" '' \\\\",
  ];
  for (const text of ordinary) test(`keeps ${JSON.stringify(text).slice(0, 60)}`, () => equal(redactText(text), text));

  test("keeps prose of any length", () => {
    const word = fc.constantFrom(
      "the",
      "agent",
      "token",
      "tokens",
      "password",
      "key",
      "was",
      "Not",
      "found",
      "in",
      "file.ts",
      "a/b",
      "42",
      "secret",
      "cookie",
      "and",
      "—",
      "it's",
      "(see",
      "below)",
      "E404,",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), words => {
        const text = words.join(" ");
        equal(redactText(text), text);
      }),
    );
  });

  test("truncates without revealing a part of a secret", () => {
    for (const secret of [
      "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
      "password=abcdefghijkl",
      "https://me:abcdefghijkl@host/",
    ])
      for (let room = 0; room < 60; room++) {
        const shown = redactText(`${"x ".repeat(10)}${secret} ${"y ".repeat(200)}`, 20 + room);
        ok(!/0123456789|abcdef/.test(shown), shown);
        ok(/ more characters\)$/.test(shown));
      }
  });
});

suite("redaction scan", () => {
  const units = [
    "a",
    "token",
    "ab://",
    "bearer ",
    "sk-",
    "token=",
    "token ",
    '"token":',
    "x=:",
    "-",
    "password='",
    "\\",
    '"',
    'token=\\"',
    "a:b@",
    "://a:",
    "eyJ",
    "-----BEGIN PRIVATE KEY-----",
    '{"secrets":',
    "[",
    "--key ",
    "Cookie: ",
    'Authorization: x="',
    "a.b_c-",
    "mysql -p",
    "name:",
    "AKIA",
    "\n",
    "%3D",
    "<password>",
    "0123456789:AA",
    "Aa0",
    "A/a0+",
  ];
  const cost = (text: string): number => secretsIn(text).steps;

  test("reads every character a bounded number of times", () => {
    for (const unit of units)
      for (const item of ["", "x", " ", "\n"]) {
        const text = (length: number): string =>
          `${unit}${item}`.repeat(Math.ceil(length / (unit.length + item.length)));
        const [half, whole] = [cost(text(10_000)), cost(text(20_000))];
        ok(
          whole < 2.2 * half + 5_000,
          `${JSON.stringify(unit + item)}: ${half} steps, and ${whole} for twice the length`,
        );
        ok(whole < 400 * 20_000, `${JSON.stringify(unit + item)}: ${whole} steps`);
      }
  });

  test("reads any mixture in linear time (property)", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 12 }), parts => {
        const text = (length: number): string => parts.join("").repeat(Math.ceil(length / parts.join("").length)),
          [half, whole] = [cost(text(10_000)), cost(text(20_000))];
        ok(whole < 2.2 * half + 5_000, `${JSON.stringify(parts)}: ${half}, ${whole}`);
      }),
    );
  });

  test("returns ordered spans inside the text (property)", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.oneof(fc.constantFrom(...units), fc.string({ maxLength: 5 })), { maxLength: 30 })
          .map(parts => parts.join("")),
        text => {
          let at = 0;
          for (const { from, to } of secretsIn(text).spans) {
            ok(from >= at && to > from && to <= text.length, `${from}–${to} in ${JSON.stringify(text)}`);
            at = to;
          }
          equal(redactText(redactText(text)), redactText(text));
        },
      ),
    );
  });
});

suite("redactValue", () => {
  test("redacts values of env and headers in both forms and keeps names", () => {
    deepEqual(
      redactValue({
        env: [
          { name: "HOME", value: "/h" },
          { name: "KEY", value: "k", more: 1 },
        ],
        headers: { "X-Any": "x", n: 1 },
      }),
      {
        env: [
          { name: "HOME", value: "…" },
          { name: "KEY", value: "…", more: 1 },
        ],
        headers: { "X-Any": "…", n: 1 },
      },
    );
    deepEqual(
      redactValue({
        mcpServers: [
          { headers: [{ name: "Authorization", value: "Bearer abc" }], Env: { A: "b" }, url: "https://x/y" },
        ],
      }),
      { mcpServers: [{ headers: [{ name: "Authorization", value: "…" }], Env: { A: "…" }, url: "https://x/y" }] },
    );
    deepEqual(redactValue({ env: ["A=b"] }), { env: ["…"] });
  });

  test("redacts members with secret names at any depth and paired values", () => {
    deepEqual(
      redactValue({
        apiKey: "a",
        API_KEY: "a",
        authorization: "a",
        "private-key": "a",
        password: "",
        credentials: { user: "u", list: ["x"] },
        accessToken: "t",
      }),
      {
        apiKey: "…",
        API_KEY: "…",
        authorization: "…",
        "private-key": "…",
        password: "",
        credentials: { user: "…", list: ["…"] },
        accessToken: "…",
      },
    );
    deepEqual(
      redactValue([
        { name: "MY_TOKEN", value: "v" },
        { name: "shell", value: "v" },
      ]),
      [
        { name: "MY_TOKEN", value: "…" },
        { name: "shell", value: "v" },
      ],
    );
    deepEqual(redactValue({ args: ["--api-key", "k", "--verbose", "v", "token"] }), {
      args: ["--api-key", "…", "--verbose", "v", "token"],
    });
  });

  test("keeps everything else", () => {
    const message = {
      sessionId: "s",
      usage: { inputTokens: 12, totalTokens: null, maxTokens: true },
      _meta: { progressToken: "p1" },
      stopReason: "max_tokens",
      text: "a token of love",
      list: [1, "x", null],
      authMethods: [{ id: "a" }],
    };
    deepEqual(redactValue(message), message);
    for (const value of ["text", 1, null, undefined, true]) equal(redactValue(value), value);
  });

  test("handles deep nesting and cycles", () => {
    let deep: unknown = { apiKey: "k" };
    for (let i = 0; i < 20_000; i++) deep = [deep];
    ok(!JSON.stringify(redactValue(deep)).includes("apiKey"));
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    ok(JSON.stringify(redactValue(circle)).length < 2_000);
  });
});

test("redacts secret options and a known program's short options", () => {
  deepEqual(redactArguments(["node", "a.mjs", "--api-key=V1", "--key", "V2", "-p", "prompt"]), [
    "node",
    "a.mjs",
    "--api-key=…",
    "--key",
    "…",
    "-p",
    "prompt",
  ]);
  deepEqual(redactArguments(["/usr/bin/sshpass", "-p", "x y", "ssh", "h"]), [
    "/usr/bin/sshpass",
    "-p",
    "…",
    "ssh",
    "h",
  ]);
  deepEqual(redactArguments(["docker", "login", "-p", "x"]), ["docker", "login", "-p", "…"]);
  deepEqual(redactArguments(["docker", "run", "-p", "80:80"]), ["docker", "run", "-p", "80:80"]);
  deepEqual(redactArguments(["env", "PASSWORD=a b", "-H", "x-api-key: a b"]), [
    "env",
    "PASSWORD=…",
    "-H",
    "x-api-key: …",
  ]);
});

test("redacts the stack of an error", () =>
  ok(/^Error: token=…\n {4}at /.test(redactError(new Error("token=abcdef")))));

suite("KnownSecrets", () => {
  test("redacts added secrets in text, JSON and addresses until disposal", () => {
    const secrets = new KnownSecrets(),
      secret = 'my "own" käy';
    const added = secrets.add([secret, "x", "  "]),
      again = secrets.add([secret]);
    const text = (): string => `${secret} ${JSON.stringify(secret)} ${encodeURIComponent(secret)} x`;
    equal(secrets.hide(text()), '… "…" … x');
    added[Symbol.dispose]();
    added[Symbol.dispose]();
    equal(secrets.hide(text()), '… "…" … x');
    again[Symbol.dispose]();
    equal(secrets.hide(text()), text());
  });

  test("applies to every text and value", () => {
    using _ = knownSecrets.add(["correct horse"]);
    equal(redactText("the correct horse battery"), "the … battery");
    deepEqual(redactValue({ a: ["correct horse"], "correct horse": 1 }), { a: ["…"], "…": 1 });
  });

  test("limits the number of secrets and drops the oldest", () => {
    const secrets = new KnownSecrets();
    secrets.add(Array.from({ length: 600 }, (_, i) => `secret-${i}`));
    equal(secrets.hide("secret-0 secret-599"), "secret-0 …");
  });
});

suite("RedactedStream", () => {
  const lines = [
    "ready",
    "token=abcdefghijkl",
    "-----BEGIN PRIVATE KEY-----",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=",
    "c2hvcnQ=",
    "-----END PRIVATE KEY-----",
    "Authorization: Bearer abcdefghijklmnop",
    "ready again",
  ];
  test("never reveals a secret for any chunks", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), sizes => {
        const stream = new RedactedStream(),
          text = `${lines.join("\n")}\n`;
        let shown = "";
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          shown += stream.push(text.slice(at, (at += size)));
        }
        shown += stream.end();
        ok(!/abcdef|QUJD|c2hvcnQ/.test(shown), shown);
        ok(shown.startsWith("ready\n") && shown.endsWith("ready again\n"), shown);
      }),
    ));

  test("bounds its buffer and redacts an oversized key", () => {
    const stream = new RedactedStream();
    let shown = stream.push("-----BEGIN PRIVATE KEY-----\n");
    for (let i = 0; i < 4_000; i++) shown += stream.push("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n");
    shown += stream.push("-----END PRIVATE KEY-----\nnext\n") + stream.end();
    ok(!shown.includes("QUJD") && shown.endsWith("next\n"));
  });
});
