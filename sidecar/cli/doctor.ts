/** `symposium-acp-agent doctor`: checks the requirements of agents and the start of one agent. */
import { homedir } from "node:os";
import { BUILT_IN_AGENTS } from "../../src/protocol/agents/built-in-agents";
import { examine, examineCommand, factsOf, type ExamineDeps } from "../agents/doctor/examine";
import { report, type Examined } from "../agents/doctor/report";
import { Scope } from "../rpc/scope";
import type { ComponentSpec } from "./component-argument";
import type { Notify } from "./runtime/log";
import { openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import { openAgents } from "./runtime/open-agents";
import { openEvidence } from "./runtime/tool-evidence";

/** Agent to examine: a built-in one by its id, or a command. Undefined examines the computer only. */
export type DoctorTarget =
  | { readonly kind: "built-in"; readonly id: string }
  | { readonly kind: "command"; readonly component: ComponentSpec }
  | undefined;

const NEVER = new AbortController().signal;

/** Prints the report on stdout. Resolves with the exit code: 0 if there is no problem, otherwise 1. */
export async function runDoctor(patient: DoctorTarget, notify: Notify, version: string): Promise<number> {
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const processes = ownProcesses(openOwnLedger(scope, notify), notify);
  const agents = scope.add(
    openAgents({
      processes,
      log: (level, message, detail) => notify(level, message, detail),
      installing: () => undefined,
      proxy: "",
    }),
  );
  const facts = await factsOf({ version, home: homedir(), find: agents.find, shell: agents.shell });
  const examined =
    patient &&
    (await examinedPatient(patient, {
      ...agents,
      version,
      signal: NEVER,
      processes: { ...processes, environment: agents.environment },
    }));
  const config = patient?.kind === "built-in" ? BUILT_IN_AGENTS.find(({ id }) => id === patient.id) : undefined,
    configuration = config && (await (await agents.configuration(config))?.state());
  await new Promise<void>(resolve => {
    process.stdout.write(`${report(facts, examined, openEvidence(notify), configuration)}\n`, () => resolve());
  });
  return examined === undefined || examined.diagnosis.cause === "fine" ? 0 : 1;
}

async function examinedPatient(patient: NonNullable<DoctorTarget>, deps: ExamineDeps): Promise<Examined> {
  if (patient.kind === "command")
    return examineCommand(patient.component.name, patient.component.command, process.cwd(), deps);
  const config = BUILT_IN_AGENTS.find(({ id }) => id === patient.id);
  if (config) return examine(config, process.cwd(), deps);
  return {
    name: patient.id,
    diagnosis: {
      cause: "notFound",
      sentence: `Unknown built-in agent “${patient.id}”. Built-in agents: ${BUILT_IN_AGENTS.map(({ id }) => id).join(", ")}.`,
    },
  };
}
