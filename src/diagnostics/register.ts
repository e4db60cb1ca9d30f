/** Connects *Copy Diagnostics* with VS Code. */
import * as l10n from "@vscode/l10n";
import { arch, homedir, release } from "node:os";
import * as vscode from "vscode";
import { realClock } from "../clock";
import { channelListener, type Log } from "../log";
import { SETTINGS, type SettingName } from "../names";
import { showInformation } from "../notifications";
import type { Configuration } from "../settings/store/configuration";
import type { SidecarSupervisor } from "../sidecar/supervisor";
import { copyDiagnostics } from "./copy-diagnostics";
import { RecentLog } from "./recent-log";
import type { DiagnosticsFacts } from "./report";

export interface DiagnosticsParts {
  readonly context: Pick<vscode.ExtensionContext, "extension">;
  readonly configuration: Configuration;
  readonly supervisor: SidecarSupervisor;
  readonly log: Log;
}

export interface DiagnosticsPart extends vscode.Disposable {
  copy(): Promise<void>;
}

/** Records the log from now on. */
export function registerDiagnostics({ context, configuration, supervisor, log }: DiagnosticsParts): DiagnosticsPart {
  const recent = new RecentLog(),
    listening = log.onLog(
      channelListener(
        () => recent,
        () => configuration.settings,
      ),
    );
  const copy = (): Promise<void> =>
    copyDiagnostics({
      clock: realClock,
      log,
      recent,
      sidecar: supervisor,
      settings: () => configuration.settings,
      environment: () => environment(context.extension),
      copy: async text => {
        await vscode.env.clipboard.writeText(text);
      },
      offer: async sentence => {
        const open = l10n.t("Open in Editor");
        return (await showInformation(sentence, open)) === open;
      },
      open: async content => {
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content }));
      },
    });
  return {
    copy: async () => {
      const location = vscode.ProgressLocation.Window;
      await vscode.window.withProgress({ location, title: l10n.t("Collecting diagnostics…") }, copy);
    },
    dispose: () => listening.dispose(),
  };
}

function environment({
  packageJSON,
}: Pick<vscode.Extension<unknown>, "packageJSON">): Omit<DiagnosticsFacts, "phase" | "settings" | "sidecar" | "log"> {
  const { appName, uiKind, remoteName, language } = vscode.env,
    { version } = packageJSON as { readonly version: string },
    place = uiKind === vscode.UIKind.Web ? "web" : "desktop",
    names = Object.keys(SETTINGS) as readonly SettingName[];
  return {
    version,
    editor: { name: appName, version: vscode.version, place, remote: remoteName, language },
    host: { node: process.versions.node, platform: process.platform, arch: arch(), release: release() },
    home: homedir(),
    isTrusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
    values: Object.fromEntries(names.map(name => [name, vscode.workspace.getConfiguration().get(name)])),
  };
}
