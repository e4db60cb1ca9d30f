/**
 * An editor at the minimum of `engines.vscode`, or a fork. Its missing features are removed from the real API before
 * the extension is loaded. The test loads the built extension through another entry point.
 */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { lastExchange, openBox, ROOT, sendPrompt, turnEnded, type Box } from "./harness";

/** Provides `vscode` without language models, their parts and tools, and logs each access to them. */
const ENTRY = `
const Module = require("node:module");
const load = Module._load;
const isMissing = name => typeof name === "string" && (name === "lm" || name === "chat" || name.startsWith("LanguageModel"));
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  return request !== "vscode" ? loaded : new Proxy({ ...loaded }, { get: (target, name) => isMissing(name) ? undefined : target[name], has: (target, name) => !isMissing(name) && name in target });
};
const vscode = require("vscode");
if (vscode.lm !== undefined || vscode.LanguageModelDataPart !== undefined || "lm" in vscode) throw new Error("nothing was taken away");
module.exports = require("./dist/extension.js");
`;

suite("editor without language models", () => {
  let box: Box, folder: string;
  suiteSetup(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-floor-"));
    const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
      main: string;
      contributes: Record<string, unknown>;
    };
    for (const lacking of ["languageModelTools", "languageModelChatProviders"]) delete manifest.contributes[lacking];
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ ...manifest, main: "./entry.js" }));
    writeFileSync(path.join(folder, "entry.js"), ENTRY);
    for (const part of ["package.nls.json", "dist", "media"])
      cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true });
    box = await openBox({ extension: folder, settings: { "symposium.enableExperimentalLM": true } });
  });
  suiteTeardown(async () => {
    await box.close();
    rmSync(folder, { recursive: true });
  });

  test("activates the extension and chats", async () => {
    const frame = await box.open();
    await sendPrompt(frame, "I am curious");
    await turnEnded(frame);
    assert.match((await lastExchange(frame)).answer, /curious/i);
  });
});
