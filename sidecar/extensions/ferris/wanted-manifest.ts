/** The manifest of a package that depends on one crate and on nothing else: so cargo is asked for its source. Pure. */
import type { Choice } from "./choose-crate";

/**
 * Features bring more crates, of which nobody asked to see the source. `[workspace]`: it belongs to none that lies
 * above it.
 */
export function wantedManifest(choice: Extract<Choice, { readonly kind: "registry" | "git" }>): string {
  const of =
    choice.kind === "git"
      ? { git: choice.url, rev: choice.commit }
      : { version: choice.requirement, ...(choice.index === undefined ? {} : { "registry-index": choice.index }) };
  const dependency = Object.entries({ package: choice.name, ...of })
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

/** A basic string of TOML: JSON's escapes are among its own, but for what JSON leaves as it is. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\x7f", "\\u007f");
}
