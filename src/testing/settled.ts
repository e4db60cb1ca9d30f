/** Runs all ready promises and their continuations. For tests that use a `FakeClock`. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise(resolve => setImmediate(resolve));
}
