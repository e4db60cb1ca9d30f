/** Entries of a restored conversation: prompts, answers with code, and tool calls. */
import type { Entry } from "../../src/protocol/chat/chat";

export function restoredEntries(count: number): readonly Entry[] {
  return Array.from({ length: count }, (_, i): Entry => {
    switch (i % 5) {
      case 0:
        return { kind: "user", id: `u${i}`, text: `Prompt ${i}: please look at the function and explain it.` };
      case 4:
        return {
          kind: "agent",
          id: `a${i}`,
          text: `Answer ${i}. ${"The function returns the sum of both. ".repeat(12)}\n\n\`\`\`ts\nconst sum = ${i};\n\`\`\`\n`,
        };
      default:
        return {
          kind: "tool",
          id: `t${i}`,
          toolCallId: `t${i}`,
          title: `Read src/file-${i}.ts`,
          toolKind: "read",
          status: "completed",
          content: [{ kind: "text", text: `line of file ${i}\n`.repeat(30) }],
          locations: [],
        };
    }
  });
}
