/** The IDE operations extension: adapter and component in one proxy. */
import type { BuiltInExtension } from "../extension";
import { adapterInterceptors, IdeAdapter } from "./adapter";
import { ideTools } from "./component";

export const ide: BuiltInExtension = {
  id: "ide",
  name: "IDE operations",
  define: (settings, deps) => ({
    name: "IDE operations",
    create: chain => {
      const adapter = new IdeAdapter(chain, settings, deps),
        { fromClient, fromSuccessor, close } = adapterInterceptors(adapter);
      const tools = ideTools(chain, deps, {
        operate: adapter.operate,
        isOffered: () => true,
        sessions: adapter.consents,
      });
      return {
        fromClient: { requests: { ...fromClient.requests, ...tools.requests } },
        fromSuccessor,
        close: async () => {
          tools.close();
          await close();
        },
      };
    },
  }),
};
