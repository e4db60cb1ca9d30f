/** Report of a run, as text and as JSON. Pure. */
import { readableLine } from "../../src/protocol/text/visible-text";
import type { ProgramKind, Result, Severity, Verdict } from "./rule";
import { VERSIONS } from "./schema";

export interface Summary {
  readonly passed: number;
  /** Number of failed rules of severity `must`. A value above 0 sets the exit code to 1. */
  readonly failed: number;
  /** Number of failed rules of severity `should`. */
  readonly warnings: number;
  readonly notApplicable: number;
  readonly notSeen: number;
}

const SITE = "https://agentclientprotocol.com/";

function addressOf(section: string): string {
  return new URL(section, SITE).href;
}

export function summaryOf(results: readonly Result[]): Summary {
  const count = (matches: (verdict: Verdict, severity: Severity) => boolean): number =>
    results.filter(({ verdict, rule }) => matches(verdict, rule.severity)).length;
  return {
    passed: count(({ kind }) => kind === "pass"),
    failed: count(({ kind }, severity) => kind === "fail" && severity === "must"),
    warnings: count(({ kind }, severity) => kind === "fail" && severity === "should"),
    notApplicable: count(({ kind }) => kind === "notApplicable"),
    notSeen: count(({ kind }) => kind === "notSeen"),
  };
}

/** Returns 1 if a `must` rule failed, otherwise 0. */
export function exitCode(results: readonly Result[]): 0 | 1 {
  return summaryOf(results).failed === 0 ? 0 : 1;
}

/** One JSON value, indented. */
export function reportJson(program: ProgramKind, results: readonly Result[]): string {
  return JSON.stringify(
    {
      program,
      summary: summaryOf(results),
      results: results.map(({ rule, version, section, verdict }) => ({
        rule: rule.id,
        title: rule.title,
        severity: rule.severity,
        version,
        section: addressOf(section),
        result: verdict.kind,
        ...("why" in verdict ? { why: verdict.why } : {}),
        ...("excerpt" in verdict ? { excerpt: verdict.excerpt } : {}),
        ...(verdict.kind === "fail" && rule.remedy !== undefined ? { remedy: rule.remedy } : {}),
      })),
    },
    undefined,
    2,
  );
}

/** Report as text. `name`: the checked program, without arguments. */
export function reportText(program: ProgramKind, name: string, results: readonly Result[]): string {
  const versions = VERSIONS.flatMap(version => {
    const own = results.filter(result => result.version === version);
    if (own.length === 0) return [];
    const head = `\nACP version ${version}`,
      shown = own.filter(({ verdict }) => verdict.kind === "fail");
    const isNegotiated = !own.some(
      ({ rule, verdict }) => rule.id === `${program}/initialize` && verdict.kind === "notApplicable",
    );
    return isNegotiated
      ? [head, ...own.flatMap(rows)]
      : [
          head,
          ...shown.flatMap(rows),
          `  The ${program} does not speak this version. ${own.length} rules do not apply.`,
        ];
  });
  const { passed, failed, warnings, notApplicable, notSeen } = summaryOf(results);
  const counts = [
    `${passed} passed`,
    `${failed} failed`,
    `${warnings} ${warnings === 1 ? "warning" : "warnings"}`,
    `${notApplicable} not applicable`,
    `${notSeen} not seen`,
  ];
  return [`Conformance of the ${program} ${readableLine(name)}`, ...versions, "", `${counts.join(", ")}.`].join("\n");
}

function rows({ rule, section, verdict }: Result): readonly string[] {
  const label = LABELS[rule.severity][verdict.kind],
    head = `  ${label.padEnd(4)}  ${rule.id.padEnd(30)}  ${addressOf(section)}`;
  if (verdict.kind === "pass") return [head, `        ${rule.title}.`];
  const reason = [head, `        ${rule.title}: ${readableLine(verdict.why)}`];
  if (verdict.kind !== "fail") return reason;
  return [
    ...reason,
    ...(verdict.excerpt === undefined ? [] : [`        ${readableLine(verdict.excerpt)}`]),
    ...(rule.remedy === undefined ? [] : [`        Remedy: ${rule.remedy}`]),
  ];
}

const LABELS: Readonly<Record<Severity, Readonly<Record<Verdict["kind"], string>>>> = {
  must: { pass: "ok", fail: "FAIL", notApplicable: "n/a", notSeen: "-" },
  should: { pass: "ok", fail: "warn", notApplicable: "n/a", notSeen: "-" },
};
