import { deepEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ripgrep } from "./find-ripgrep";

suite("VS Code's ripgrep", () => {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const where of [
    `node_modules/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}`,
    "node_modules/@vscode/ripgrep/bin",
    "node_modules.asar.unpacked/@vscode/ripgrep/bin",
  ])
    test(`is found in ${where}`, async () => {
      const root = mkdtempSync(path.join(tmpdir(), "ripgrep-"));
      try {
        deepEqual(await ripgrep(root), {});
        mkdirSync(path.join(root, where), { recursive: true });
        writeFileSync(path.join(root, where, name), "");
        deepEqual(await ripgrep(root), { SYMPOSIUM_RIPGREP: path.join(root, where, name) });
      } finally {
        rmSync(root, { recursive: true });
      }
    });
});
