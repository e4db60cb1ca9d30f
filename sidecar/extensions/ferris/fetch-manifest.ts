/** The manifest of a package with a single dependency, used to fetch that crate's source with cargo. Pure. */
import type { Choice } from "./choose-crate";

/**
 * Features are disabled because they add crates that were not requested. `[workspace]` detaches the package from any
 * workspace above it.
 */
export function wantedManifest(choice: Extract<Choice, { readonly kind: "registry" | "git" }>): string {
  const source =
    choice.kind === "git"
      ? { git: choice.url, rev: choice.commit }
      : { version: choice.requirement, ...(choice.index === undefined ? {} : { "registry-index": choice.index }) };
  const dependency = Object.entries({ package: choice.name, ...source })
    .map(([key, value]) => `${key} = ${quoted(value)}`)
    .join(", ");
  return [
    "[package]",
    `name = "symposium-crate-source"`,
    `version = "0.0.0"`,
    `edition = "2021"`,
    "",
    "[lib]",
    `path = "lib.rs"`,
    "",
    "[workspace]",
    "",
    "[dependencies]",
    `wanted = { ${dependency}, default-features = false }`,
    "",
  ].join("\n");
}

/** A TOML basic string. JSON's escapes are valid TOML, but JSON leaves U+007F unescaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\x7f", "\\u007f");
}
