import type { OtherSurfaces } from "../chat/chat-deps";

/** For tests with one surface of the chat. */
export const onlySurface: OtherSurfaces = {
  isElsewhere: () => false,
  move: () => undefined,
  openInView: () => undefined,
  openSession: () => undefined,
  titleChanged: () => undefined,
};
