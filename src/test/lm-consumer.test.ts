import assert from "node:assert/strict";
import * as vscode from "vscode";

/** Symposium's models as another extension uses them through the stable API. */
suite("Symposium's models for other extensions", () => {
  const setting = (value: boolean | undefined): Thenable<void> =>
    vscode.workspace
      .getConfiguration("symposium")
      .update("enableExperimentalLM", value, vscode.ConfigurationTarget.Global);
  const models = (): Thenable<vscode.LanguageModelChat[]> => vscode.lm.selectChatModels({ vendor: "symposium" });

  async function eliza(): Promise<vscode.LanguageModelChat> {
    const [model] = await vscode.lm.selectChatModels({ vendor: "symposium", id: "symposium-eliza" });
    return model ?? assert.fail("Eliza has no model");
  }

  async function read(response: vscode.LanguageModelChatResponse): Promise<readonly unknown[]> {
    const parts: unknown[] = [];
    for await (const part of response.stream) parts.push(part);
    return parts;
  }

  const text = (parts: readonly unknown[]): string =>
    parts.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
  const ask = (
    model: vscode.LanguageModelChat,
    prompt: string,
    options: vscode.LanguageModelChatRequestOptions = {},
    token?: vscode.CancellationToken,
  ): Thenable<vscode.LanguageModelChatResponse> =>
    model.sendRequest([vscode.LanguageModelChatMessage.User(prompt)], options, token);

  suiteSetup(async () => {
    await vscode.extensions.getExtension("symposium-dev.symposium")?.activate();
    await setting(true);
  });
  suiteTeardown(() => setting(undefined));

  test("exists with a large input limit when enabled", async () => {
    const found = await models();
    assert.deepEqual(found.map(({ id }) => id).sort(), ["symposium", "symposium-eliza"]);
    for (const { maxInputTokens, vendor } of found) assert.ok(maxInputTokens >= 1_000_000 && vendor === "symposium");
  });

  test("answers a request", async () =>
    assert.match(text(await read(await ask(await eliza(), "I am curious"))), /curious/i));

  test("answers two concurrent requests separately", async () => {
    const model = await eliza();
    const [one, two] = await Promise.all(
      ["I am glad", "I am tired"].map(async prompt => text(await read(await ask(model, prompt)))),
    );
    assert.match(one ?? "", /glad/i);
    assert.match(two ?? "", /tired/i);
  });

  test("ends a request cancelled before its start", async () => {
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    await Promise.resolve(ask(await eliza(), "I am late", {}, source.token))
      .then(read)
      .catch(() => undefined);
  });

  test("counts tokens immediately", async () => assert.equal(await (await eliza()).countTokens("abcdefgh"), 2));

  test("is absent when disabled", async () => {
    await setting(false);
    assert.deepEqual(await models(), []);
    await setting(true);
    assert.ok((await models()).length > 0);
  });
});
