/**
 * Sidecar mode for the extension host. `hello` is the first request and carries the configuration; any other request
 * before it is rejected. When the host disconnects, all resources are released in reverse order of opening.
 */
import { ErrorCode } from "../../../src/protocol/wire/errors";
import { isEntryLogged, type LogLevels } from "../../../src/protocol/wire/log";
import { PROTOCOL, type HostToSidecar } from "../../../src/protocol/sidecar";
import { dispatcher, HostWire } from "../../rpc/host-wire";
import { RpcError } from "../../rpc/message";
import { Scope } from "../../rpc/scope";
import { openSidecar, type Served, type SidecarLog } from "./open-sidecar";

/** Resolves when the host has disconnected and all resources are released. */
export async function serve(version: string): Promise<void> {
  const wire = new HostWire(process.stdin, process.stdout);
  let levels: LogLevels = { logLevel: "info", agentLogLevel: "info" };
  const log: SidecarLog = (level, category, message, data) => {
    // A host that does not keep up receives the conversations but not the log.
    if (isEntryLogged({ level, category }, levels) && !wire.isCongested())
      wire.notify("log", { timestamp: Date.now(), level, category, message, ...(data === undefined ? {} : { data }) });
  };
  await using scope = new Scope("sidecar", error =>
    log("error", "sidecar", "A resource was not released", { error: String(error) }),
  );
  let served: Served | undefined;
  const ready = (): Served => {
    if (!served) throw new RpcError(ErrorCode.versionMismatch, "The first message must be hello.");
    return served;
  };
  wire.serve(
    dispatcher<HostToSidecar, "chat" | "sessions" | "review" | "registry" | "agents" | "recommendations" | "lm">(
      {
        hello: async hello => {
          if (hello.protocol !== PROTOCOL || hello.build !== version)
            throw new RpcError(
              ErrorCode.versionMismatch,
              `Symposium's sidecar is version ${version} (protocol ${PROTOCOL}) and the extension ${hello.build} (protocol ${hello.protocol}). Reload the window. If the error persists, reinstall Symposium.`,
            );
          levels = hello;
          served ??= openSidecar({ hello, version, wire, scope, log });
          return served.hello;
        },
        "history/delete": async () => ({ count: await ready().journal.deleteAll() }),
        "settings/languageModel": settings => served?.lm.settings(settings),
        "settings/extensions": ({ extensions }) => served?.extensions.set(extensions),
        "settings/bypass": ({ agentIds }) => served?.policy.replace(agentIds),
        "settings/logLevels": changed => {
          levels = changed;
        },
      },
      {
        chat: () => ready().chat.handlers,
        sessions: () => ready().sessions.handlers,
        review: () => ready().review.handlers,
        registry: async () => (await ready().agents.part()).handlers,
        agents: async () => (await ready().agents.part()).handlers,
        recommendations: async () => (await ready().recommendations()).handlers,
        lm: async () => (await ready().lm.service()).handlers,
      },
    ),
  );
  process.once("SIGTERM", () => process.stdin.destroy()); // same as a disconnect of the host
  await wire.closed;
}
