import { deepEqual, equal, ok } from "node:assert/strict";
import { elided, isSecretName, withoutSecrets } from "./secrets";

suite("what is kept out of logs and traces", () => {
  test("values in env and headers, in both forms; names stay", () => {
    deepEqual(elided({ env: [{ name: "HOME", value: "/h" }, { name: "KEY", value: "k", more: 1 }], headers: { "X-Any": "x", n: 1 } }),
      { env: [{ name: "HOME", value: "…" }, { name: "KEY", value: "…", more: 1 }], headers: { "X-Any": "…", n: 1 } });
    deepEqual(elided({ mcpServers: [{ headers: [{ name: "Authorization", value: "Bearer abc" }], Env: { A: "b" }, url: "https://x/y" }] }),
      { mcpServers: [{ headers: [{ name: "Authorization", value: "…" }], Env: { A: "…" }, url: "https://x/y" }] });
    deepEqual(elided({ env: ["A=b"] }), { env: ["…"] });
  });

  test("what is called a secret, at any depth, and what is paired with such a name", () => {
    deepEqual(elided({ apiKey: "a", API_KEY: "a", authorization: "a", "private-key": "a", password: "", credentials: { user: "u", list: ["x"] }, accessToken: "t" }),
      { apiKey: "…", API_KEY: "…", authorization: "…", "private-key": "…", password: "", credentials: { user: "…", list: ["…"] }, accessToken: "…" });
    deepEqual(elided([{ name: "MY_TOKEN", value: "v" }, { name: "shell", value: "v" }]), [{ name: "MY_TOKEN", value: "…" }, { name: "shell", value: "v" }]);
    deepEqual(elided({ args: ["--api-key", "k", "--verbose", "v", "token"] }), { args: ["--api-key", "…", "--verbose", "v", "token"] });
  });

  test("tokens that are known by their form, in any text", () => {
    for (const [text, instead] of [
      ["Authorization: Bearer abcdefghijkl", "Authorization: Bearer …"], ["see https://me:hunter22@host/x", "see https://…@host/x"],
      ["MY_TOKEN=abcdefgh next", "MY_TOKEN=… next"], ["use ghp_0123456789abcdef!", "use ghp…!"], ["AIza" + "x".repeat(35), "AIza…"], ["--password=abcdefg", "--password=…"],
    ] as const) {
      equal(withoutSecrets(text), instead);
      deepEqual(elided({ a: [{ b: text }] }), { a: [{ b: instead }] });
    }
  });

  test("nothing else", () => {
    const message = { sessionId: "s", usage: { inputTokens: 12, totalTokens: null, maxTokens: true }, _meta: { progressToken: "p1" }, stopReason: "max_tokens", text: "a token of love", list: [1, "x", null] };
    deepEqual(elided(message), message);
    for (const value of ["text", 1, null, undefined, true]) equal(elided(value), value);
    deepEqual([isSecretName("progress_token"), isSecretName("x-api-key")], [false, true]);
  });

  test("however deep, and however long, in no time", () => {
    let deep: unknown = { apiKey: "k" };
    for (let i = 0; i < 20_000; i++) deep = [deep];
    ok(!JSON.stringify(elided(deep)).includes("apiKey"));
    for (const part of ["a", "token", "ab://", "bearer ", "sk-", "token=", "token ", "\"token\":", "x=:", "-"]) {
      const began = performance.now();
      withoutSecrets(part.repeat(1_000_000 / part.length));
      ok(performance.now() - began < 1000, part);
    }
  });
});
