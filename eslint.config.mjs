// Only rules that find bugs; the compiler and the layers test cover the rest.
import tseslint from "typescript-eslint";
import plainEnglish from "./scripts/plain-english.mjs";

export default tseslint.config(
  { ignores: ["out/", "dist/", "node_modules/"] },
  {
    files: ["**/*.ts", "**/*.mjs", "**/*.cjs", "**/*.js"],
    ignores: ["**/fixtures/**"],
    plugins: { "plain-english": plainEnglish },
    rules: { "plain-english/wording": ["error", { titles: true, messages: false }] },
  },
  {
    files: ["sidecar/**/*.ts"],
    // Eliza's script is a conversation; fixtures and test programs are not part of the product.
    ignores: ["**/*.test.ts", "**/fixtures/**", "sidecar/testing/**", "sidecar/eliza/doctor-script.ts"],
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
    files: ["**/*.test.ts", "**/*.page.ts", "**/*.webview.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
