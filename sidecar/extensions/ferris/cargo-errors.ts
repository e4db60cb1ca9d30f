/**
 * Classifies cargo's errors while it fetches a crate, and renders them for the model. Cargo has no error codes, so
 * messages are matched leniently, and unknown messages are forwarded. Pure.
 */
import type { Choice } from "./choose-crate";

export type CargoFailure =
  /** `instead`: crates that cargo suggests. */
  | { readonly kind: "noCrate"; readonly instead: readonly string[] }
  | { readonly kind: "noVersion"; readonly candidates: readonly string[]; readonly isYanked: boolean }
  | { readonly kind: "noRange" }
  /** The crate exists, but cargo refuses to unpack it. */
  | { readonly kind: "refused"; readonly why: string }
  /** A network, lock or toolchain failure. A retry with `--offline` may succeed. `why` is a clause. */
  | { readonly kind: "other"; readonly why: string };

/** `stderr`: of a cargo run that fetches the crate `name`. A missing dependency of `name` has the kind `other`. */
export function failureIn(stderr: string, name: string): CargoFailure {
  if (/failed to parse the version requirement/.test(stderr)) return { kind: "noRange" };
  const [, rejectedName] = /failed to select a version for the requirement `(\S+) =/.exec(stderr) ?? [],
    [, missingName] = /no matching package named `([^`]+)`/.exec(stderr) ?? [];
  if (rejectedName === name) return noVersionIn(stderr);
  if (/no matching package (?:named|found)/.test(stderr) && (missingName ?? name) === name)
    return { kind: "noCrate", instead: suggestionsIn(stderr) };
  const [, unpacked] = /failed to unpack (?:package|entry)[\s\S]*?Caused by:\s+([^\n]+)/.exec(stderr) ?? [];
  return unpacked === undefined ? { kind: "other", why: reasonIn(stderr) } : { kind: "refused", why: unpacked.trim() };
}

function noVersionIn(stderr: string): CargoFailure {
  const [, candidates = ""] = /candidate versions found which didn't match: ([^\n]*)/.exec(stderr) ?? [];
  return {
    kind: "noVersion",
    isYanked: /^\s*version \S+ is yanked/m.test(stderr),
    candidates: candidates
      .split(",")
      .map(each => each.trim())
      .filter(each => each !== ""),
  };
}

function suggestionsIn(stderr: string): readonly string[] {
  const [, text] = /perhaps you meant:\s*([^\n]*)/.exec(stderr) ?? [];
  return (text ?? "")
    .split(/\s*(?:,|\bor\b)\s*/)
    .map(each => each.replaceAll(/[`\s]/g, ""))
    .filter(each => /^[\w-]+$/.test(each));
}

const MAX_REASON_LENGTH = 300;

/** The innermost cause, or the error itself. */
function reasonIn(stderr: string): string {
  const cause = stderr
    .split(/Caused by:\s*/)
    .slice(1)
    .at(-1)
    ?.split("\n\n", 1)[0];
  return cause === undefined ? firstError(stderr) : clause(cause);
}

export function firstError(stderr: string): string {
  return clause(/^error: (.*)$/m.exec(stderr)?.[1] ?? stderr.trim().split("\n").at(-1) ?? "");
}

function clause(text: string): string {
  const reason = text.trim().replaceAll(/\s+/g, " ").replace(/\.$/, "");
  return reason === "" ? "it gave no reason" : reason.slice(0, MAX_REASON_LENGTH);
}

/** Error message for the model. */
export function sentenceOf(
  choice: Extract<Choice, { readonly kind: "registry" | "git" }>,
  failure: CargoFailure,
): string {
  const { name } = choice,
    requirement = choice.kind === "registry" ? choice.requirement : choice.commit.slice(0, 10),
    what = requirement === "*" ? name : `${name} ${requirement}`;
  switch (failure.kind) {
    case "noCrate":
      return `The registry has no crate “${name}”.${failure.instead.length > 0 ? ` Did you mean ${failure.instead.join(" or ")}?` : ""}`;
    case "noRange":
      return `“${requirement}” is not a valid version range for cargo. ${RANGES}`;
    case "noVersion":
      return noVersion(name, requirement, failure);
    case "refused":
      return `cargo refuses to unpack ${what}: ${failure.why}. Its package is broken or malicious.`;
    case "other":
      return `cargo could not download ${what}: ${failure.why}. This computer has no copy of it. Without a network, only crates that cargo downloaded before are available.`;
  }
}

/** Syntax of version ranges, for the model. */
export const RANGES = "Ranges use the syntax of Cargo.toml: 1.2, ^1, >=1.2, <1.5.";

function noVersion(
  name: string,
  requirement: string,
  { candidates, isYanked }: Extract<CargoFailure, { readonly kind: "noVersion" }>,
): string {
  const named = candidates.filter(each => each !== "..."),
    available =
      named.length === 0
        ? ""
        : ` Available: ${named.join(", ")}${named.length < candidates.length ? " and others" : ""}.`;
  if (isYanked)
    return `${name} ${requirement} was withdrawn (yanked) by its authors. Only a workspace with this version in its Cargo.lock can use it.${available} Request another version.`;
  return requirement === "*"
    ? `${name} has no stable version.${available} Request one of them by its version.`
    : `${name} has no version for “${requirement}”.${available}`;
}
