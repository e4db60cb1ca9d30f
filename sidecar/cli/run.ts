/**
 * `symposium-acp-agent run`: runs the chain of `~/.symposium/config.jsonc` as one ACP agent on stdin and stdout, or the
 * configuration agent if the file does not exist.
 *
 * Invariants:
 * - The file is read at the start. Later changes apply to the next start, because `initialize` has already described
 *   the agent.
 * - A mistake in the file is the error of `initialize`, because editors hide stderr.
 */
import type { Channel } from "../rpc/channel";
import { realClock } from "../rpc/clock";
import { namedChain } from "./command";
import { configFile, type ConfigFile, type ConfigReading } from "./run/config-file";
import { withNotices, type NewNotices } from "./run/notices";
import { runWith } from "./run-with";
import type { Notify } from "./runtime/log";
import { clientOnStdio, firstInput, firstSignal, flushed } from "./runtime/stdio";

type Configured = Extract<ConfigReading, { kind: "config" }>;

/** Resolves with the exit code. Throws `CannotWrite`. */
export async function run(traceFolder: string | undefined, notify: Notify, version: string): Promise<number> {
  const file = configFile();
  if (typeof file === "string") return refuse(file, notify);
  const serve = async (configured: Configured, client: Channel, firstMessage: Promise<void>): Promise<number> =>
    runWith(namedChain(configured.config.proxies, configured.config.agent, traceFolder), notify, version, {
      client: withNotices(client, noticesOf(file, configured, notify)),
      firstMessage,
    });
  const reading = await file.read();
  switch (reading.kind) {
    case "config":
      return serve(reading, clientOnStdio(notify), firstInput());
    case "problem":
      return refuse(reading.message, notify);
    case "absent":
      return configured(file, serve, notify, version);
  }
}

/** Notices for the user, also in the log: the ignored parts of the file at once, and its first change. */
function noticesOf(file: ConfigFile, { config, text }: Configured, notify: Notify): NewNotices {
  const ignored = config.ignored.map(part => file.at(part));
  for (const notice of ignored) notify("warn", notice);
  let unchanged: string | undefined = text;
  return () => {
    const notices = ignored.splice(0);
    if (unchanged === undefined || !file.isChanged(unchanged)) return notices;
    unchanged = undefined;
    const notice = `${file.path} has changed. Restart your editor to apply the change.`;
    notify("warn", notice);
    return [...notices, notice];
  };
}

async function configured(
  file: ConfigFile,
  serve: (configured: Configured, client: Channel, firstMessage: Promise<void>) => Promise<number>,
  notify: Notify,
  version: string,
): Promise<number> {
  const { FirstRun } = await import("./run/first-run");
  notify("info", `${file.path} does not exist: the configuration agent answers`);
  const code = await (async () => {
    await using first = new FirstRun(clientOnStdio(notify), {
      version,
      read: () => file.read(),
      create: text => file.create(text),
      // The client has sent `initialize` before the chain exists.
      serve: (chain, client) => serve(chain, client, Promise.resolve()),
      onWarning: (what, detail) => notify("warn", what, detail),
    });
    return await Promise.race([first.closed, firstSignal()]);
  })();
  await flushed(realClock);
  return code;
}

async function refuse(message: string, notify: Notify): Promise<number> {
  notify("error", message);
  return (await import("./run/refused")).refused(message, clientOnStdio(notify));
}
