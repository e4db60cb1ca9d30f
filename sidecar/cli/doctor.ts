/**
 * `symposium-acp-agent doctor`: checks the requirements of agents and the start of one agent. A missing agent is
 * installed, as by `run-with`.
 */
import { homedir } from "node:os";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { Diagnosis } from "../../src/protocol/agents/diagnosis";
import { commandUnavailable, examineCommand, factsOf, type ExamineDeps } from "../agents/doctor/examine";
import { report, type Examined } from "../agents/doctor/report";
import { InstallError } from "../agents/install/store/install-error";
import { AgentError } from "../errors";
import { Scope } from "../rpc/scope";
import type { ComponentSpec } from "./component-spec";
import type { Notify } from "./runtime/log";
import { endEarlierProcesses, openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import { ComponentResolver, type Named, type Resolved } from "./runtime/component-resolver";
import { progressOnStderr } from "./runtime/stdio";
import { openEvidence } from "./runtime/tool-evidence";

/** Agent or extension to examine: by its id, or as for `run-with`. Undefined examines the computer only. */
export type DoctorTarget =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "command"; readonly component: ComponentSpec }
  | undefined;

const NEVER = new AbortController().signal;

/** Prints the report on stdout. Resolves with the exit code: 0 if there is no problem, otherwise 1. */
export async function runDoctor(
  patient: DoctorTarget,
  registry: string | undefined,
  notify: Notify,
  version: string,
): Promise<number> {
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const processes = ownProcesses(openOwnLedger(scope, notify), notify),
    resolver = scope.add(new ComponentResolver({ version, processes, notify, registry, progress: progressOnStderr })),
    { agents } = resolver;
  endEarlierProcesses(notify);
  const facts = await factsOf({ version, home: homedir(), find: agents.find, shell: agents.shell }),
    named = patient?.kind === "id" ? await resolver.named(patient.id, NEVER) : undefined;
  const examined =
    patient &&
    (await examinedPatient(patient, named, resolver, {
      find: agents.find,
      version,
      signal: NEVER,
      processes: { ...processes, environment: agents.environment },
    }));
  const config: AgentConfig | undefined = named?.kind === "agent" ? named.config : undefined,
    configuration = config && (await (await agents.configuration(config))?.state());
  await new Promise<void>(resolve => {
    process.stdout.write(`${report(facts, examined, openEvidence(notify), configuration)}\n`, () => resolve());
  });
  return examined === undefined || examined.diagnosis.cause === "fine" ? 0 : 1;
}

async function examinedPatient(
  patient: NonNullable<DoctorTarget>,
  named: Named | undefined,
  resolver: ComponentResolver,
  deps: Pick<ExamineDeps, "processes" | "version" | "find" | "signal">,
): Promise<Examined> {
  if (patient.kind === "command") {
    const { name, command } = patient.component;
    if (command.kind !== "store" && command.kind !== "word") return examineCommand(name, command, process.cwd(), deps);
    return examinedCommand(name, "agent", () => resolver.resolve("agent", command, NEVER), deps);
  }
  if (!named)
    return {
      name: patient.id,
      diagnosis: {
        cause: "notFound",
        sentence: `“${patient.id}” is neither an agent nor an agent extension of Symposium or of the registry. See symposium-acp-agent registry list.`,
      },
    };
  const { kind, config } = named;
  if (kind === "extension" && config.distribution.symposium)
    return {
      name: config.name,
      diagnosis: { cause: "fine", sentence: `${config.name} is built in and has no requirements.` },
    };
  return examinedCommand(config.name, kind, () => resolver.commandOf(named, NEVER), deps);
}

async function examinedCommand(
  name: string,
  kind: Named["kind"],
  resolve: () => Promise<Resolved>,
  deps: Pick<ExamineDeps, "processes" | "version" | "find" | "signal">,
): Promise<Examined> {
  let resolved: Resolved;
  try {
    resolved = await resolve();
  } catch (error) {
    return { name, diagnosis: unresolved(error) };
  }
  if (kind === "agent") return examineCommand(name, resolved.command, process.cwd(), deps);
  return {
    name,
    diagnosis: { cause: "fine", sentence: `${name} is an agent extension and is installed. Only agents are started.` },
  };
}

function unresolved(error: unknown): Diagnosis {
  if (error instanceof AgentError && error.code === "notFound") return { cause: "notFound", sentence: error.message };
  if (error instanceof InstallError && (error.code === "noTool" || error.code === "noPlatform"))
    return { cause: "noPlatform", sentence: error.message };
  return commandUnavailable(error);
}
