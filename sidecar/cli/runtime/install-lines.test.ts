import { deepEqual, equal } from "node:assert/strict";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { InstallLines, progressLine } from "./install-lines";

suite("progress lines of an installation", () => {
  const TABLE: readonly (readonly [progress: InstallProgress, line: string])[] = [
    [{ phase: "waiting" }, "Waiting for another process that installs Ada"],
    [{ phase: "downloading" }, "Downloading Ada"],
    [{ phase: "downloading", done: 1_250_000 }, "Downloading Ada: 1.3 MB"],
    [{ phase: "downloading", done: 0, total: 40_000_000 }, "Downloading Ada: 0.0 MB of 40.0 MB"],
    [{ phase: "unpacking" }, "Unpacking Ada"],
    [{ phase: "installing", line: " added\t5\n packages " }, "Installing Ada: added 5 packages"],
    [{ phase: "installing", line: "ADA_TOKEN=abcdefghijk" }, "Installing Ada: ADA_TOKEN=…"],
  ];
  for (const [progress, line] of TABLE) test(line, () => equal(progressLine("Ada", progress), line));

  test("are written at each phase, and every two seconds within it", () => {
    const clock = new FakeClock(),
      lines: string[] = [],
      installations = new InstallLines(clock, line => lines.push(line));
    installations.named("ada", "Ada");
    installations.report("ada", { phase: "downloading", done: 1_000_000 });
    installations.report("ada", { phase: "downloading", done: 2_000_000 });
    clock.advance(2_000);
    installations.report("ada", { phase: "downloading", done: 3_000_000 });
    installations.report("ada", { phase: "unpacking" });
    installations.report("ada", undefined);
    deepEqual([installations.ended("ada"), installations.ended("ada")], [true, false]);
    installations.installed("ada", "1.2.3");
    installations.installed("other", undefined);
    deepEqual(lines, [
      "Downloading Ada: 1.0 MB",
      "Downloading Ada: 3.0 MB",
      "Unpacking Ada",
      "Ada 1.2.3 is installed.",
      "other is installed.",
    ]);
  });
});
