/** Prompts that a user invokes by name, in agents that show the prompts of MCP servers. */
import type { ToolPrompt } from "../tool-server";
import { CHECKPOINT, EMBODIMENT_TEST, ENRICH_PROFILE, PRESENCE_CHECK, SHOW_THINKING, SPARKLER_IDENTITY } from "./texts";

const prompt = (name: string, title: string, description: string, text: string): ToolPrompt => ({
  name,
  title,
  description,
  text: async () => text,
});

export const SPARKLE_PROMPTS: readonly ToolPrompt[] = [
  prompt("checkpoint", "Checkpoint", "Keep what this session has come to, for the next one", CHECKPOINT),
  prompt("show_thinking", "Show your thinking", "Work with the thinking in the open", SHOW_THINKING),
  prompt("embodiment_test", "What has carried over", "Show what was kept of earlier sessions, in use", EMBODIMENT_TEST),
  prompt("presence_check", "Presence check", "Pause: thinking together, or carrying out?", PRESENCE_CHECK),
  prompt("enrich_profile", "Enrich my profile", "Make the collaborator profile better, together", ENRICH_PROFILE),
  prompt("sparkler_identity", "Who you are", "Find a name and a manner for the sparkler", SPARKLER_IDENTITY),
];
