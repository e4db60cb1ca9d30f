/**
 * The words of each notice that a chain runs without a proxy. `sidecar/conductor/conductor.test.ts` compares them with
 * the notices, so that a test that expects no notice can fail.
 */
export const BYPASSED = /is skipped/;
