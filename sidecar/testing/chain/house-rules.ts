/**
 * Example proxy: prepends a rule to every prompt, counts the tool calls of each session, and responds to requests for
 * the count.
 */
import type { ProxyDefinition } from "../../proxies/proxy";
import { arrayOr, objectOr } from "../../rpc/json";

export function houseRules(rule: string): ProxyDefinition {
  return {
    name: "House rules",
    create: () => {
      const toolCalls = new Map<unknown, number>();
      return {
        fromClient: {
          requests: {
            "session/prompt": request => {
              const params = objectOr(request.params);
              return request.pass({ ...params, prompt: [{ type: "text", text: rule }, ...arrayOr(params.prompt)] });
            },
            "_house/toolCalls": request => ({ count: toolCalls.get(objectOr(request.params).sessionId) ?? 0 }),
          },
        },
        fromSuccessor: {
          notifications: {
            "session/update": notification => {
              const { sessionId, update } = objectOr(notification.params);
              if (objectOr(update).sessionUpdate === "tool_call")
                toolCalls.set(sessionId, (toolCalls.get(sessionId) ?? 0) + 1);
              notification.pass();
            },
          },
        },
      };
    },
  };
}
