/** Formats an age in words. Pure. */
const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** `ms`: age in milliseconds. Negative ages, after the clock was set back, count as less than a minute. */
export function ageOf(ms: number): string {
  for (const [name, unit] of UNITS) {
    const count = Math.floor(ms / unit);
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "less than a minute";
}
