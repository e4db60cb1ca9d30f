/** Texts shared by the rows of agents and extensions. Pure. */
import * as l10n from "@vscode/l10n";
import type { InstallProgress, InstallState, Installable, RegistryUpdate } from "../../protocol/agents/agent-service";
import type { Distribution, DistributionKind } from "../../protocol/agents/distribution";
import type { Fix } from "../../protocol/agents/diagnosis";
import { redactArguments } from "../../protocol/redaction/redact";
import type { Finding, Mark, Progress, RowAction, RowButton } from "../../protocol/settings/settings-view";
import { assertNever } from "../../protocol/wire/wire";
import type { SettingsModel, Work, Outcome } from "./settings-model";

/** In the order of preference. */
const KINDS = [
  "local",
  "executable",
  "symposium",
  "http",
  "npx",
  "uvx",
  "pipx",
  "cargo",
  "binary",
] as const satisfies readonly DistributionKind[];

/** How the program is started: the given kind of distribution, otherwise the first. */
export function howStarted(distribution: Distribution, kind: DistributionKind | undefined): string {
  const { local, executable, symposium, http, npx, uvx, pipx, cargo } = distribution;
  const effective = kind !== undefined && distribution[kind] ? kind : KINDS.find(item => distribution[item]);
  switch (effective) {
    case "local":
      return l10n.t`program ${redactArguments([local?.command ?? "", ...(local?.args ?? [])]).join(" ")}`;
    case "executable":
      return l10n.t`program ${executable?.path ?? ""}`;
    case "symposium":
      return symposium?.args === undefined
        ? l10n.t("part of Symposium")
        : l10n.t`part of Symposium, ${symposium.args.join(" ")}`;
    case "http":
      return l10n.t`at ${withoutQuery(http?.url ?? "")}`;
    case "npx":
      return l10n.t`npm package ${npx?.package ?? ""}`;
    case "uvx":
      return l10n.t`Python package ${uvx?.package ?? ""}`;
    case "pipx":
      return l10n.t`Python package ${pipx?.package ?? ""}`;
    case "cargo":
      return l10n.t`crate ${named(cargo?.crate ?? "", cargo?.version)}`;
    case "binary":
      return l10n.t("binary download");
    case undefined:
      return l10n.t("unsupported distribution");
    default:
      return assertNever(effective, "distribution");
  }
}

/** Omits the query of the URL, which may contain a key. */
function withoutQuery(url: string): string {
  return URL.canParse(url) && new URL(url).host !== ""
    ? `${new URL(url).host}${new URL(url).pathname.replace(/\/$/, "")}`
    : l10n.t("an invalid URL");
}

/** Whether the package is unpinned, so that an update check can find a newer version. */
export function isUnpinned({ npx, uvx, pipx, cargo }: Distribution, kind: DistributionKind | undefined): boolean {
  switch (kind) {
    case "npx":
      return npx !== undefined && /^(@[^@/]+\/)?[^@]+(@latest)?$/.test(npx.package);
    case "uvx":
      return uvx !== undefined && isBare(uvx.package);
    case "pipx":
      return pipx !== undefined && isBare(pipx.package);
    case "cargo":
      return cargo?.version === undefined;
    default:
      return false;
  }
}

function isBare(spec: string): boolean {
  return !/[=<>~!]|@(?!latest$)/.test(spec);
}

/** Appends the version if known. */
export function named(what: string, version: string | undefined): string {
  return version === undefined ? what : `${what} ${version}`;
}

/** For rows without a running action. Neutral while the state is unknown. */
export function installMark(state: InstallState | undefined): readonly Mark[] {
  switch (state?.install.kind) {
    case undefined:
      return [{ tone: "neutral", text: "…" }];
    case "ready":
    case "installing":
      return [];
    case "missing":
      return state.missing === undefined
        ? [{ tone: "neutral", text: l10n.t("not installed") }]
        : [{ tone: "warning", text: l10n.t("not for this computer") }];
    case "installed":
      return [{ tone: "neutral", text: named(l10n.t("installed"), state.install.version) }];
  }
}

/** The running action with its known progress. `progress` is newer than the state's. */
export function progressOf(
  progress: InstallProgress | undefined,
  work: Work | undefined,
  state: InstallState | undefined,
): Progress | undefined {
  const now = progress ?? (state?.install.kind === "installing" ? state.install : undefined);
  if (now) return installProgress(now);
  switch (work) {
    case undefined:
      return undefined;
    case "starting":
      return { label: l10n.t("Installing…") };
    case "examining":
      return { label: l10n.t("Checking…") };
    case "removing":
      return { label: l10n.t("Removing…") };
    case "configuring":
      return { label: l10n.t("Changing its configuration…") };
    case "signingOut":
      return { label: l10n.t("Signing out…") };
    default:
      return assertNever(work, "work");
  }
}

function installProgress({ phase, done, total, line }: InstallProgress): Progress {
  const percent =
    done !== undefined && total !== undefined && total > 0
      ? { percent: Math.max(0, Math.min(100, Math.floor((done / total) * 100))) }
      : {};
  switch (phase) {
    case "waiting":
      return { label: l10n.t("Waiting for another installation…") };
    case "downloading":
      return {
        label:
          done === undefined
            ? l10n.t("Downloading…")
            : total === undefined
              ? l10n.t`Downloading, ${megabytes(done)} MB`
              : l10n.t`Downloading, ${megabytes(done)} of ${megabytes(total)} MB`,
        ...percent,
      };
    case "unpacking":
      return { label: l10n.t("Unpacking…"), ...percent };
    case "installing":
      return {
        label:
          line === undefined || line.trim() === ""
            ? l10n.t("Installing…")
            : l10n.t`Installing: ${line.trim().slice(0, 120)}`,
        ...percent,
      };
    default:
      return assertNever(phase, "phase");
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

/** Shows `update` as a finding with a button. */
export function updateFinding(update: RegistryUpdate | undefined, name: string, canAct: boolean): readonly Finding[] {
  if (!update) return [];
  const installed = update.from === undefined ? "" : l10n.t` Version ${update.from} is installed.`;
  return [
    {
      tone: "neutral",
      sentence: l10n.t`The registry has version ${update.to}.${installed}`,
      buttons: canAct ? [{ action: "update", label: l10n.t("Update"), about: name, isMain: true }] : [],
    },
  ];
}

const LOGS: RowButton = { action: "logs", label: l10n.t("Show Logs") };
const DISMISS: RowButton = { action: "dismiss", label: l10n.t("Dismiss") };

/** `can`: whether a fix applies to this row. `isUsable`: whether any action is allowed. */
export function outcomeFindings(
  outcome: Outcome | undefined,
  {
    name,
    can,
    isUsable,
  }: { readonly name: string; readonly can: (action: RowAction) => boolean; readonly isUsable: boolean },
): readonly Finding[] {
  switch (outcome?.kind) {
    case undefined:
      return [];
    case "failed":
      return [{ tone: "error", sentence: outcome.sentence, buttons: isUsable ? [LOGS, DISMISS].map(about(name)) : [] }];
    case "diagnosed": {
      const { cause, sentence, fix, detail } = outcome.diagnosis,
        action = fix && actionOf(fix, can);
      const buttons: readonly RowButton[] = [
        ...(fix && action ? [{ action, label: fix.label, isMain: true } as const] : []),
        { action: "copyReport", label: l10n.t("Copy Report") },
        DISMISS,
      ];
      return [
        {
          tone: cause === "fine" ? "good" : cause === "signIn" ? "warning" : "error",
          sentence,
          ...(detail === undefined ? {} : { detail }),
          buttons: isUsable ? buttons.map(about(name)) : [],
        },
      ];
    }
  }
}

export function lastErrorFinding(
  state: InstallState | undefined,
  dismissed: number | undefined,
  name: string,
  buttons: readonly RowButton[],
  isUsable: boolean,
): readonly Finding[] {
  const error = state?.lastError;
  if (!error || error.at <= (dismissed ?? -Infinity)) return [];
  return [
    { tone: "error", sentence: error.sentence, buttons: isUsable ? [...buttons, LOGS, DISMISS].map(about(name)) : [] },
  ];
}

/** The button action for a fix of the diagnosis; `undefined` if the row has none. */
function actionOf({ action, url }: Fix, can: (action: RowAction) => boolean): RowAction | undefined {
  switch (action) {
    // An installed version that does not work needs an update.
    case "install":
      return can("install") ? "install" : can("update") ? "update" : can("reinstall") ? "reinstall" : undefined;
    case "reinstall":
      return can("reinstall") ? "reinstall" : can("install") ? "install" : undefined;
    case "settings":
      return "edit";
    case "logs":
      return "logs";
    case "signIn":
      return can("signIn") ? "signIn" : undefined;
    case "retry":
      return can("examine") ? "examine" : undefined;
    case "page":
      return isPage(url) ? "page" : undefined;
    default:
      return assertNever(action, "fix");
  }
}

export function isPage(url: string | undefined): url is string {
  return url !== undefined && URL.canParse(url) && new URL(url).protocol === "https:";
}

/** Names the row in each button, for screen readers. */
export const about =
  (name: string) =>
  (button: RowButton): RowButton => ({ about: name, ...button });

/** Row properties common to agents and extensions. */
export interface RowFacts {
  readonly model: SettingsModel;
  readonly of: Installable;
  readonly id: string;
  readonly distribution: Distribution;
  readonly state: InstallState | undefined;
}

/** Installation actions that apply to the current state. */
export function installActions({
  model,
  of,
  id,
  distribution,
  state,
}: RowFacts): ReadonlySet<"install" | "cancel" | "update" | "reinstall" | "uninstall"> {
  const key = `${of}/${id}` as const;
  if (!model.isTrusted) return new Set();
  if (model.installing.has(key) || state?.install.kind === "installing" || model.work.get(key) === "starting")
    return new Set(["cancel"]);
  if (model.work.has(key) || state === undefined) return new Set();
  const isBehind = model.updates.some(update => update.of === of && update.id === id);
  switch (state.install.kind) {
    case "missing":
      return new Set(
        state.missing === undefined && state.kind !== undefined
          ? ["install", ...(isBehind ? (["update"] as const) : [])]
          : [],
      );
    case "installed":
      return new Set([
        "reinstall",
        "uninstall",
        ...(isBehind || isUnpinned(distribution, state.kind) ? (["update"] as const) : []),
      ]);
    default:
      return new Set(isBehind ? ["update"] : []);
  }
}
