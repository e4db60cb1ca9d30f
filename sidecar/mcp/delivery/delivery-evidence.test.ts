import { deepEqual } from "node:assert/strict";
import { mergeEvidence, transportFor, waitsForList, type DeliveryEvidence } from "./delivery-evidence";

/**
 * Simulates sessions of an agent that lists tools over some transports or none. Returns the transport of each session
 * and whether its first prompt waits.
 */
function sessions(
  http: boolean,
  works: (transport: string) => DeliveryEvidence["lists"],
  count: number,
): readonly string[] {
  let evidence: DeliveryEvidence | undefined;
  return Array.from({ length: count }, () => {
    const transport = transportFor(http, evidence),
      waits = waitsForList(http, evidence),
      lists = works(transport);
    const inVain = waits && lists !== "beforePrompt",
      before = evidence?.waitsInVain ?? 0;
    const waitsInVain = inVain ? before + 1 : waits ? 0 : before;
    evidence = mergeEvidence(evidence, { transport, isListed: lists !== "never", lists, waitsInVain });
    return `${transport}${waits ? " waits" : ""}`;
  });
}

suite("DeliveryEvidence", () => {
  test("keeps http where it works", () => {
    deepEqual(
      sessions(true, () => "beforePrompt", 3),
      ["http waits", "http waits", "http waits"],
    );
  });

  test("switches to stdio and keeps it where it works", () => {
    deepEqual(
      sessions(true, transport => (transport === "stdio" ? "beforePrompt" : "never"), 4),
      Array.from({ length: 4 }, (_, i) => `${i === 0 ? "http" : "stdio"} waits`),
    );
  });

  test("returns to http where stdio also fails, and waits once for each", () => {
    deepEqual(
      sessions(true, () => "never", 4),
      ["http waits", "stdio waits", "http", "stdio"],
    );
  });

  test("uses only stdio for an agent that does not advertise http", () => {
    deepEqual(
      sessions(false, () => "never", 3),
      ["stdio waits", "stdio", "stdio"],
    );
  });

  test("does not wait for an agent that lists after its first turn, until a session shows otherwise", () => {
    deepEqual(
      sessions(true, () => "later", 3),
      ["http waits", "http", "http"],
    );
    const later: DeliveryEvidence = { transport: "http", isListed: true, lists: "later" };
    deepEqual(mergeEvidence(later, { transport: "http", isListed: false, lists: "never" }).lists, "never");
    deepEqual(mergeEvidence(later, { transport: "http", isListed: true, lists: "beforePrompt" }).lists, "beforePrompt");
  });

  test("does not wait again for an agent that lists during the prompt", () => {
    deepEqual(
      sessions(true, () => "inPrompt", 3),
      ["http waits", "http", "http"],
    );
  });
});
