/** Ends this test, or the suite whose hook calls it, as skipped. The reporter of `npm test` wants to know why. */
export function skipped(context: Mocha.Context, reason: string): never {
  context["skipReason"] = reason;
  return context.skip();
}

/** Why a test that looks into other processes runs on Linux only. */
export const NEEDS_PROC = "It finds processes in /proc, which only Linux has";
