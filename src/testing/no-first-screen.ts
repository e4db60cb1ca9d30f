import type { FirstScreenProvider } from "../chat/chat-deps";

/** For tests without a first screen. */
export const noFirstScreen: FirstScreenProvider = {
  refresh: () => undefined,
  addFound: async () => undefined,
  disable: async () => undefined,
  preview: async () => undefined,
};
