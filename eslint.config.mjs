// Only rules that find bugs; the compiler and the layers test cover the rest.
import tseslint from "typescript-eslint";
import localizedStrings from "./scripts/localized-strings.mjs";
import plainEnglish from "./scripts/plain-english.mjs";

/**
 * The sidecar's modules whose texts the user reads in VS Code. Protocol errors and texts for models stay in English.
 */
const SHOWN_BY_THE_SIDECAR = [
  "sidecar/errors.ts",
  "sidecar/acp/sign-in-methods.ts",
  "sidecar/acp/adapt/**/*.ts",
  "sidecar/agent-session/**/*.ts",
  "sidecar/agents/**/*.ts",
  "sidecar/chat/**/*.ts",
  "sidecar/lm/*.ts",
  "sidecar/lm/session/**/*.ts",
  "sidecar/lm/response/**/*.ts",
  "sidecar/permissions/**/*.ts",
];

export default tseslint.config(
  { ignores: ["out/", "dist/", "node_modules/"] },
  {
    files: ["**/*.ts", "**/*.mjs", "**/*.cjs", "**/*.js"],
    plugins: { "plain-english": plainEnglish },
    rules: {
      "plain-english/wording": ["error", { titles: true, messages: false }],
      // The formatter wraps code, but neither comments nor texts.
      "max-len": [
        "error",
        { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true, ignoreUrls: true },
      ],
    },
  },
  {
    files: ["**/*.ts", "**/*.mjs", "**/*.cjs", "**/*.js"],
    // Eliza's script is a conversation.
    ignores: ["sidecar/eliza/**"],
    plugins: { "plain-english": plainEnglish },
    rules: { "plain-english/names": "error" },
  },
  {
    files: ["sidecar/**/*.ts"],
    // Eliza's script is a conversation; fixtures and test programs are not part of the product.
    ignores: ["**/*.test.ts", "sidecar/testing/**", "sidecar/eliza/doctor-script.ts"],
    plugins: { "plain-english": plainEnglish },
    rules: { "plain-english/wording": ["error", { titles: true, messages: true }] },
  },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: {
        project: [
          "src/tsconfig.json",
          "src/test/page/tsconfig.json",
          "src/test/webview/tsconfig.json",
          "webview/tsconfig.json",
          "sidecar/tsconfig.json",
          "test/tsconfig.json",
          "bench/tsconfig.json",
          "scripts/tsconfig.json",
          "docs/templates/typescript/tsconfig.json",
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": ["error", { ignoreVoid: true }],
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/await-thenable": "error",
    },
  },
  {
    files: ["src/**/*.ts", "webview/**/*.ts", ...SHOWN_BY_THE_SIDECAR],
    ignores: [
      "**/*.test.ts",
      "**/testing/**",
      "src/test/**",
      // Texts for agents and their models, for programmers and bug reports, and names.
      "sidecar/agents/doctor/report.ts",
      "sidecar/chat/agent/prompt-content.ts",
      "sidecar/agent-session/state-machine.ts",
      "sidecar/lm/session/prompt.ts",
      "src/diagnostics/{recent-log,report}.ts",
      "src/editor/ide/**",
      "src/lm/agent-tools.ts",
      "src/protocol/agents/{agents,built-in-agents,known-programs}.ts",
      "src/protocol/chat/{attachments,chat-transcript}.ts",
      "src/protocol/ide/{ide-text,ide-answer}.ts",
      "src/protocol/lm/permission-tools.ts",
      "src/protocol/wire/schema.ts",
      "src/protocol/redaction/**",
      "src/chat/schema.ts",
      "src/**/*.program.ts",
    ],
    plugins: { l10n: localizedStrings },
    rules: { "l10n/localized": "error" },
  },
  {
    files: [
      "webview/view-model/{text/chat-texts,cards/buttons,tab/details-view}.ts",
      "webview/settings/settings-texts.ts",
      "src/names.ts",
      "src/commands.ts",
      "src/settings/store/{ask-custom,bypass-question}.ts",
      "src/settings/view/{agent-rows,extension-rows,row-texts,configuration-question}.ts",
    ],
    plugins: { l10n: localizedStrings },
    rules: { "l10n/localized": ["error", { isCatalogue: true }] },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/notifications.ts", "src/test/**"],
    rules: {
      "no-restricted-properties": [
        "error",
        ...["showInformationMessage", "showWarningMessage", "showErrorMessage"].map(property => ({
          property,
          message: "VS Code renders links in notifications. Use notifications.ts.",
        })),
      ],
    },
  },
  {
    files: ["**/*.test.ts", "**/*.page.ts", "**/*.webview.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
