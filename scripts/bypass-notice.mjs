/**
 * Matches each notice that a chain bypasses a proxy. `sidecar/conductor/conductor.test.ts` checks the pattern with real
 * notices, because other tests only check that nothing matches.
 */
export const BYPASSED = /is skipped/;
