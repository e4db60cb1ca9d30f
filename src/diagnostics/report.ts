/**
 * Text of *Copy Diagnostics*, for bug reports. Pure, except for `knownSecrets`.
 *
 * Invariants (`test/redaction.test.ts`):
 * - It contains no secret: neither one with a known name or format, nor a value of an environment or a header of the
 *   settings.
 * - It does not contain the path of the home folder.
 */
import { SETTINGS, type SettingName } from "../names";
import type { AgentState, InstallState } from "../protocol/agents/agent-service";
import { assertNever } from "../protocol/wire/wire";
import { withoutHome } from "../protocol/redaction/home-folder";
import { knownSecrets, redactFields, redactText } from "../protocol/redaction/redact";
import { errorMessage } from "../protocol/wire/errors";
import type { Settings } from "../settings/store/settings";
import type { SidecarPhase } from "../sidecar/restart-policy";
import { howStarted } from "../settings/view/row-texts";

export interface EditorFacts {
  readonly name: string;
  readonly version: string;
  readonly place: "desktop" | "web";
  /** Kind of the remote connection, such as `ssh-remote`. Some editors add the name of the host. */
  readonly remote: string | undefined;
  readonly language: string;
}

export interface DiagnosticsFacts {
  readonly version: string;
  readonly editor: EditorFacts;
  /** Versions of Node and of the operating system in the extension host. */
  readonly host: { readonly node: string; readonly platform: string; readonly arch: string; readonly release: string };
  readonly home: string;
  readonly isTrusted: boolean;
  readonly folders: number;
  readonly phase: SidecarPhase;
  readonly settings: Pick<Settings, "agents" | "allExtensions" | "currentAgentId">;
  /** Effective values of the settings. */
  readonly values: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly sidecar: SidecarFacts;
  /** The newest lines of the log. */
  readonly log: readonly string[];
}

/** Bounds of the value of a setting. */
const LIMITS = { text: 1_000, items: 100, depth: 20, total: 20_000 };

/** Answers of the sidecar, or the reason why they are missing. */
export type SidecarFacts =
  | {
      readonly kind: "known";
      readonly agents: Readonly<Record<string, AgentState>>;
      readonly extensions: Readonly<Record<string, InstallState>>;
      /** The report of `symposium-acp-agent doctor` without an agent. */
      readonly computer: string;
    }
  | { readonly kind: "untrusted" }
  | { readonly kind: "late"; readonly seconds: number }
  | { readonly kind: "failed"; readonly error: unknown };

export function diagnosticsReport(facts: DiagnosticsFacts): string {
  const { version, editor, host, isTrusted, folders, phase, sidecar } = facts;
  using _ = knownSecrets.add(environmentValues(facts.settings));
  const text = [
    "Symposium diagnostics",
    "",
    `Symposium ${version}`,
    `Editor: ${editor.name} ${editor.version}, ${editor.place}, remote: ${remoteKind(editor.remote)}, language: ${editor.language}`,
    `Extension host: Node ${host.node}, ${host.platform} ${host.arch}, kernel ${host.release}`,
    `Workspace: ${isTrusted ? "trusted" : "not trusted"}, folders: ${folders}`,
    `Sidecar: ${phaseText(phase)}`,
    ...section("Settings that differ from their defaults", settingLines(facts.values)),
    ...section("Agents (*: of new tabs)", agentLines(facts)),
    ...section("Agent extensions", extensionLines(facts)),
    ...section("Computer", computerLines(sidecar)),
    ...section(`Log, last lines: ${facts.log.length}`, facts.log),
  ].join("\n");
  return `${withoutHome(redactText(text), facts.home)}\n`;
}

function remoteKind(remote: string | undefined): string {
  if (remote === undefined) return "no";
  return /^[a-z][a-z-]*$/.test(remote) ? remote : "yes";
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ["", `${title}:`, ...(lines.length === 0 ? ["  none"] : lines.map(line => `  ${line}`))];
}

function computerLines(sidecar: SidecarFacts): readonly string[] {
  switch (sidecar.kind) {
    case "known":
      return redactText(sidecar.computer).split("\n");
    case "untrusted":
      return ["unknown, because the workspace is not trusted"];
    case "late":
      return [`unknown, because the sidecar did not answer within ${sidecar.seconds} s`];
    case "failed":
      return [`unknown: ${errorMessage(sidecar.error)}`];
    default:
      return assertNever(sidecar, "sidecar");
  }
}

function phaseText(phase: SidecarPhase): string {
  switch (phase.kind) {
    case "idle":
      return "not started";
    case "starting":
    case "running":
    case "stopping":
    case "stopped":
      return phase.kind;
    case "backoff":
      return "exited, restarts after a delay";
    case "failed":
      return `failed: ${phase.message}`;
    default:
      return assertNever(phase, "phase");
  }
}

function settingLines(values: DiagnosticsFacts["values"]): readonly string[] {
  return Object.entries(SETTINGS).flatMap(([name, { default: byDefault }]) => {
    const value = values[name as SettingName];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(byDefault)) return [];
    return [`${name}: ${JSON.stringify(redactFields({ [name]: value }, LIMITS)[name])}`];
  });
}

function agentLines({ settings, sidecar }: DiagnosticsFacts): readonly string[] {
  return settings.agents.flatMap(({ id, name, distribution }) => {
    const state = sidecar.kind === "known" ? sidecar.agents[id] : undefined,
      mark = id === settings.currentAgentId ? "* " : "";
    return [
      `${mark}${name} (${id}): ${[
        ...installTexts(state),
        ...(state === undefined || state.running === 0 ? [] : [`${state.running} running`]),
        ...(state?.signIn === undefined ? [] : [state.signIn === "in" ? "signed in" : "sign-in required"]),
        howStarted(distribution, state?.kind),
      ].join(", ")}`,
      ...errorLines(state),
    ];
  });
}

function extensionLines({ settings, sidecar }: DiagnosticsFacts): readonly string[] {
  return settings.allExtensions.flatMap(({ config: { id, name, distribution }, isEnabled }) => {
    const state = sidecar.kind === "known" ? sidecar.extensions[id] : undefined;
    return [
      `${name} (${id}): ${[
        isEnabled ? "on" : "off",
        ...installTexts(state),
        howStarted(distribution, state?.kind),
      ].join(", ")}`,
      ...errorLines(state),
    ];
  });
}

function installTexts(state: InstallState | undefined): readonly string[] {
  switch (state?.install.kind) {
    case undefined:
      return ["state unknown"];
    case "ready":
      return ["ready"];
    case "installing":
      return ["is being installed"];
    case "missing":
      return ["not installed"];
    case "installed":
      return [`installed${state.install.version === undefined ? "" : ` ${state.install.version}`}`];
  }
}

function errorLines(state: InstallState | undefined): readonly string[] {
  return [
    ...(state?.missing === undefined ? [] : [`  ${state.missing}`]),
    ...(state?.lastError === undefined
      ? []
      : [`  Last error, ${new Date(state.lastError.at).toISOString()}: ${state.lastError.sentence}`]),
  ];
}

/** Values of environments and headers in the settings, which may be keys without a known format. */
function environmentValues({ agents, allExtensions }: DiagnosticsFacts["settings"]): readonly string[] {
  return [...agents, ...allExtensions.map(({ config }) => config)].flatMap(({ distribution }) => {
    const { local, npx, uvx, pipx, cargo, binary, http } = distribution,
      started = [local, npx, uvx, pipx, cargo, ...Object.values(binary ?? {})];
    return [...started.map(item => item?.env), http?.headers].flatMap(values => Object.values(values ?? {}));
  });
}
