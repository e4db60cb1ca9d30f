/** Sends settings to the sidecar in the handshake and after each change. Stores settings that the sidecar sends. */
import type { HelloFromHost, HostToSidecar, SidecarToHost } from "../../protocol/sidecar";
import { PROTOCOL } from "../../protocol/sidecar";
import type { Handlers, Notes, ParamsOf } from "../../protocol/wire/wire";
import type { AgentSecrets } from "./agent-secrets";
import type { Configuration } from "./configuration";
import type { PersistedControls } from "./persisted-controls";
import type { Settings } from "./settings";

const BUILD = process.env.SYMPOSIUM_BUILD ?? "development";

export interface HelloContext {
  /** Folder of the extension. */
  readonly storage: string;
  /** False in tests, which may use archives over HTTP. */
  readonly isProduction: boolean;
  readonly isTrusted: boolean;
}

export function helloOf(
  configuration: Configuration,
  { storage, isProduction, isTrusted }: HelloContext,
): HelloFromHost {
  const { logLevel, agentLogLevel, traceDir, bypass, extensions, history } = configuration.settings;
  return {
    protocol: PROTOCOL,
    build: BUILD,
    logLevel,
    agentLogLevel,
    traceDir,
    bypass,
    extensions,
    proxy: configuration.proxy,
    storage,
    history,
    ...(isTrusted ? {} : { restricted: true }),
    ...(isProduction ? {} : { httpArchives: true }),
  };
}

export interface SettingsReceiver {
  notify<M extends keyof Notes<HostToSidecar>>(method: M, params: ParamsOf<HostToSidecar, M>): void;
}

/** Sends the changed settings to the running sidecar. */
export function sendSettings(sidecar: SettingsReceiver, settings: Settings): void {
  const { logLevel, agentLogLevel } = settings;
  sidecar.notify("settings/languageModel", settings.languageModel);
  sidecar.notify("settings/bypass", { agentIds: settings.bypass });
  sidecar.notify("settings/logLevels", { logLevel, agentLogLevel });
  sidecar.notify("settings/extensions", { extensions: settings.extensions });
}

type SettingsMethods = "settings/setBypass" | "settings/setControl" | "secrets/environment" | "secrets/keepEnvironment";

/** Handlers of the sidecar's requests to read and store settings and keys. */
export function settingsListeners(
  configuration: Configuration,
  chosen: PersistedControls,
  secrets: () => AgentSecrets,
): Pick<Handlers<SidecarToHost>, SettingsMethods> {
  return {
    "settings/setBypass": ({ agentId }) => void configuration.setBypass(agentId, true),
    "settings/setControl": ({ agentId, controlId, value }) => chosen.keep(agentId, controlId, value),
    "secrets/environment": async ({ agentId }) => ({ env: await secrets().environment(agentId) }),
    "secrets/keepEnvironment": async ({ agentId, env }) => {
      await secrets().keep(agentId, env);
      return {};
    },
  };
}
