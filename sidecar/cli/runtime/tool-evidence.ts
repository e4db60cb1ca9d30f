/** Evidence of how agents used the tools of earlier sessions: one file per user, shared by all windows and commands. */
import { homedir } from "node:os";
import path from "node:path";
import { EvidenceFile } from "../../agents/extensions/evidence-file";

export function openEvidence(
  log: (level: "warn", message: string, detail: Readonly<Record<string, unknown>>) => void,
): EvidenceFile {
  const file = path.join(homedir(), ".symposium", "cache", "agent-tools.json");
  return new EvidenceFile({
    file,
    date: () => Date.now(),
    onWarning: (message, error) => log("warn", message, { error: String(error) }),
  });
}
