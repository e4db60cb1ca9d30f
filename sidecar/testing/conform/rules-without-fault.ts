/** The rules that no fault breaks. */
import type { ProgramKind, Result } from "../../conform/rule";
import { RULES } from "../../conform/rules/catalogue";
import { VERSIONS } from "../../conform/schema";

/** Rules of this kind of program without a failure in one of their versions, as `RULE vVERSION`. */
export function unbroken(program: ProgramKind, runs: readonly (readonly Result[])[]): readonly string[] {
  const broken = new Set(
    runs.flat().flatMap(({ rule, version, verdict }) => (verdict.kind === "fail" ? [`${rule.id} v${version}`] : [])),
  );
  return RULES.filter(rule => rule.program === program)
    .flatMap(({ id, section }) =>
      VERSIONS.filter(version => section[version] !== undefined).map(version => `${id} v${version}`),
    )
    .filter(pair => !broken.has(pair));
}
