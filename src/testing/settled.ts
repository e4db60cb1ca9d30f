/** Lets everything that is ready go on: promises, and what they lead to. For tests whose time is a `FakeClock`. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise(resolve => setImmediate(resolve));
}
