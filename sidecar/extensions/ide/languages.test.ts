import { deepEqual, equal } from "node:assert/strict";
import { languageOf, languagesIn, missing, unknownLanguage } from "./languages";

suite("language", () => {
  const warnings: string[] = [],
    languages = (settings: unknown) => languagesIn({ languages: settings }, what => warnings.push(what));
  test("is detected by file extension", () => {
    const of = (file: string) => {
      const found = languageOf(file, languages(undefined));
      return found && [found.language.id, found.languageId];
    };
    deepEqual(["/a/b.tsx", "/x.RS", "a.h", "Makefile", ".ts", "a.unknown"].map(of), [
      ["typescript", "typescriptreact"],
      ["rust", "rust"],
      ["cpp", "cpp"],
      undefined,
      undefined,
      undefined,
    ]);
  });
  test("has priority and can be disabled if declared in the settings", () => {
    const [own, first] = languages({
      words: { command: "w", args: ["--x"], env: { A: "1" }, extensions: ["wd", ".ts"], languageId: "wordy" },
      rust: false,
    });
    deepEqual(
      [own?.id, own?.files, own?.programs, own?.isConfigured, first?.id],
      [
        "words",
        { ".wd": "wordy", ".ts": "wordy" },
        [{ command: "w", args: ["--x"], env: { A: "1" } }],
        true,
        "typescript",
      ],
    );
    equal(languageOf("a.rs", languages({ rust: false })), undefined);
    deepEqual(languages({ rust: { initializationOptions: { a: 1 }, settings: { b: 2 } } })[0]?.programs, [
      { command: "rust-analyzer", args: [] },
    ]);
    deepEqual(languages({ python: { command: "/x/pylsp" } })[0]?.files, { ".py": "python", ".pyi": "python" });
    deepEqual(warnings, []);
  });
  test("is reported and ignored if its settings are invalid", () => {
    for (const wrong of [
      { words: { command: "w" } },
      { words: { extensions: [".w"] } },
      { rust: { command: "" } },
      { rust: { args: [1] } },
      { rust: 7 },
      { rust: { env: { A: 1 } } },
      7,
    ]) {
      warnings.length = 0;
      equal(languageOf("a.rs", languages(wrong))?.language.id, "rust");
      equal(warnings.length, 1);
    }
  });
  test("is reported with an installation hint if no program is found", () => {
    equal(
      missing(languageOf("a.rs", languages(undefined))!.language),
      "No language server for Rust was found (rust-analyzer). Install it with: rustup component add rust-analyzer.",
    );
    equal(
      unknownLanguage("/a/Makefile"),
      "No language server is configured for “Makefile”. Add one in the settings of the extension “ide”.",
    );
  });
});
