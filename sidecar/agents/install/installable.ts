/** Choices that need an installation. Pure. */
import * as l10n from "@vscode/l10n";
import { missingSentence, type Choice, type Missing } from "../distributions/choose";
import { InstallError } from "./store/install-error";
import type { Source } from "./store/manifest";

export type Installable = Exclude<Choice, { kind: "local" | "symposium" | "http" }>;

export function isInstallable(choice: Choice): choice is Installable {
  return choice.kind !== "local" && choice.kind !== "symposium" && choice.kind !== "http";
}

/** Returns the store's source of an installation. */
export function sourceOf(choice: Installable): Source {
  const named = <K extends Source["kind"]>(
    kind: K,
    name: string,
    cmd: string | undefined,
    requested: string | undefined,
  ): Source => ({
    kind,
    name,
    ...(cmd === undefined ? {} : { cmd }),
    ...(requested === undefined ? {} : { asked: requested }),
  });
  switch (choice.kind) {
    case "npx":
      return named("npm", choice.spec.name, choice.of.cmd, choice.spec.version);
    case "uvx":
    case "pipx":
      return named(
        "python",
        `${choice.spec.name}${choice.spec.extras}`,
        choice.of.cmd,
        choice.spec.version === "latest" ? undefined : choice.spec.version,
      );
    case "cargo":
      return named("cargo", choice.of.crate, choice.of.binary, choice.of.version);
    case "binary":
      return named("binary", choice.of.archive, choice.of.cmd, choice.of.sha256?.toLowerCase());
  }
}

export function unavailable(name: string, missing: Missing): InstallError {
  const advice =
    missing.tools.length > 0 ? l10n.t("Install it. If it is still not found, restart VS Code.") : undefined;
  return new InstallError(missing.tools.length > 0 ? "noTool" : "noPlatform", missingSentence(name, missing), {
    advice,
  });
}
