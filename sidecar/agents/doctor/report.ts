/**
 * Formats a report for bug reports: versions, tools and observations. Contains neither secrets nor the user's name.
 * Pure.
 */
import type { Diagnosis } from "../../../src/protocol/agents/diagnosis";
import { withoutHome } from "../../../src/protocol/redaction/home-folder";
import { redactText } from "../../../src/protocol/redaction/redact";
import { workaroundsFor } from "../../agent-workarounds";
import type { ConfigurationState } from "../../../src/protocol/agents/own-configuration";
import { assertNever } from "../../../src/protocol/wire/wire";
import type { DeliveryEvidence, EvidenceStore } from "../../mcp/delivery/delivery-evidence";
import { toolLines } from "../../mcp/delivery/session-tools";
import { configurationAdvice, missingOf, missingToolsSentence } from "../extensions/missing-tools";
import type { Observed } from "./diagnose";

export interface ReportFacts {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly home: string;
  /** The shell that provided the environment. */
  readonly shell: string | undefined;
  /** Why the shell's environment is unavailable. */
  readonly shellProblem: string | undefined;
  readonly path: readonly string[];
  /** Path of each tool. Undefined: not on the PATH. */
  readonly tools: Readonly<Record<string, string | undefined>>;
}

/** `command` and `observed` are set if the agent was started. */
export interface Examined {
  readonly name: string;
  readonly command?: string;
  readonly observed?: Observed;
  readonly diagnosis: Diagnosis;
}

/**
 * `evidence`: how the agent used tools in earlier sessions. `configuration`: the agent's own configuration, if known.
 */
export function report(
  facts: ReportFacts,
  examined: Examined | undefined,
  evidence?: EvidenceStore,
  configuration?: ConfigurationState,
): string {
  const { version, node, platform, shell, shellProblem, path, tools } = facts;
  const lines = [
    `Symposium ${version}, Node ${node}, ${platform}`,
    `Shell: ${shell ?? "not queried"}${shellProblem === undefined ? "" : ` (${shellProblem})`}`,
    "Tools:",
    ...Object.entries(tools).map(([tool, where]) => `  ${tool.padEnd(6)} ${where ?? "not on the PATH"}`),
    "PATH:",
    ...path.map(folder => `  ${folder}`),
    ...(examined
      ? [
          "",
          ...agentLines(examined),
          ...evidenceLines(examined, evidence, configuration),
          ...configurationLines(configuration),
          ...workaroundLines(examined.observed),
        ]
      : []),
  ];
  return withoutHome(redactText(lines.join("\n")), facts.home);
}

function agentLines({ name, command, observed, diagnosis }: Examined): readonly string[] {
  return [
    `Agent: ${name}`,
    ...(command === undefined ? [] : [`Command: ${command}`]),
    `Found: ${diagnosis.cause}. ${diagnosis.sentence}`,
    ...(observed ? observationLines(observed, diagnosis) : []),
  ];
}

function observationLines({ exit, garbage, initialize, session }: Observed, diagnosis: Diagnosis): readonly string[] {
  return [
    `initialize: ${initialize.kind === "answered" ? `version ${String(initialize.version)}` : initialize.kind === "error" ? `error: ${initialize.message}` : "no answer"}`,
    ...(session ? [`session/new: ${session.kind === "error" ? session.message : session.kind}`] : []),
    ...(exit === undefined ? [] : [`Ended: ${exit}`]),
    ...(garbage.lines > 0 ? [`Not ACP on stdout: ${garbage.lines} lines, first “${garbage.first.slice(0, 200)}”`] : []),
    ...(diagnosis.detail === undefined
      ? []
      : ["Last output:", ...diagnosis.detail.split("\n").map(line => `  ${line}`)]),
  ];
}

/** How the agent used the tools of extensions in earlier sessions, and the counts of the newest session. */
function evidenceLines(
  { name, observed }: Examined,
  evidence: EvidenceStore | undefined,
  configuration: ConfigurationState | undefined,
): readonly string[] {
  const program = observed?.initialize.kind === "answered" ? observed.initialize.program : undefined;
  if (program === undefined || !evidence) return [];
  const delivery = evidence.of(program),
    tools = evidence.tools(program);
  if (!delivery && !tools) return [`Tools of agent extensions: no completed session of ${program} so far`];
  const sentence =
    tools &&
    missingToolsSentence({
      agent: name,
      ...missingOf(tools),
      place: "client",
      configuration: configurationAdvice(tools, configuration?.entry.kind),
    });
  return [
    `Tools of agent extensions: ${delivery ? `${program} ${toolUseOf(delivery)}` : `newest session of ${program}`}`,
    ...(tools ? toolLines(tools).map(line => `  ${line}`) : []),
    ...(sentence === undefined ? [] : [`  ${sentence}`]),
  ];
}

function toolUseOf(evidence: DeliveryEvidence): string {
  const when = {
    beforePrompt: "before its first prompt",
    inPrompt: "during its first turn",
    later: "after its first turn",
    never: "never",
  }[evidence.lists];
  return `${evidence.isListed ? "listed them" : "did not list them"} over ${evidence.transport} in its newest session; it lists tools ${when}`;
}

function configurationLines(configuration: ConfigurationState | undefined): readonly string[] {
  if (!configuration) return [];
  const { file, entry } = configuration;
  switch (entry.kind) {
    case "absent":
      return [`Own configuration: ${file} has no entry of Symposium`];
    case "added":
      return [`Own configuration: ${file} has Symposium's entry`];
    case "outdated":
      return [`Own configuration: ${file} has the entry of another version of Symposium`];
    case "edited":
    case "refused":
      return [`Own configuration: ${entry.why}`];
    default:
      return assertNever(entry, "entry");
  }
}

/** Omits workarounds that the agent's version does not need. */
function workaroundLines(observed: Observed | undefined): readonly string[] {
  const [name = "", version = ""] =
    observed?.initialize.kind === "answered" ? (observed.initialize.program ?? "").split(" ") : [];
  return workaroundsFor(name, version).map(
    ({ id, behaviour, seen, measure }) => `Workaround “${id}”: it ${behaviour} (seen in ${seen}). ${measure}`,
  );
}
