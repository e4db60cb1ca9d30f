/** Skips this test, or the suite whose hook calls it. The reporter of `npm test` requires the reason. */
export function skipped(context: Mocha.Context, reason: string): never {
  context["skipReason"] = reason;
  return context.skip();
}

/** Reason for tests that inspect other processes, which run on Linux only. */
export const NEEDS_PROC = "It finds processes in /proc, which only Linux has";
