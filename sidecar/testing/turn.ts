/** One turn of the event loop: runs all ready promises and their continuations. */
export const turn = () => new Promise<void>(resolve => setImmediate(resolve));

/** Completes work in this process that takes several turns and uses no timer. */
export async function settled(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await turn();
}
