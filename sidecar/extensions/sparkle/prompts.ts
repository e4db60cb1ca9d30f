/** Prompts that a user invokes by name, in agents that show the prompts of MCP servers. */
import type { ToolPrompt } from "../tool-server";
import {
  CHECKPOINT,
  EMBODIMENT_TEST,
  ENRICH_PROFILE,
  PRESENCE_CHECK,
  SHOW_THINKING,
  SPARKLER_IDENTITY,
} from "./model-texts";

const prompt = (name: string, title: string, description: string, text: string): ToolPrompt => ({
  name,
  title,
  description,
  text: async () => text,
});

export const SPARKLE_PROMPTS: readonly ToolPrompt[] = [
  prompt("checkpoint", "Checkpoint", "Save the state of this session for the next one", CHECKPOINT),
  prompt("show_thinking", "Show your thinking", "Work with visible reasoning", SHOW_THINKING),
  prompt(
    "embodiment_test",
    "Carried over from earlier sessions",
    "Show how saved notes of earlier sessions apply",
    EMBODIMENT_TEST,
  ),
  prompt("presence_check", "Presence check", "Pause: thinking together, or carrying out?", PRESENCE_CHECK),
  prompt("enrich_profile", "Enrich my profile", "Improve the collaborator profile together", ENRICH_PROFILE),
  prompt("sparkler_identity", "Sparkler identity", "Find a name and a style for the sparkler", SPARKLER_IDENTITY),
];
