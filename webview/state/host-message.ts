/** Recognizes the host's messages among those of other programs. */
import type { HostToPage } from "../../src/protocol/page/host-to-page";
import { isObject } from "../../src/protocol/wire/json";

const TYPES: Readonly<Record<HostToPage["type"], true>> = {
  state: true,
  event: true,
  snapshot: true,
  mentionsFound: true,
  attach: true,
  requestReplay: true,
  agentSelected: true,
  openTab: true,
  runCommand: true,
  notice: true,
  forked: true,
  firstScreen: true,
  movedTab: true,
  releaseTab: true,
  codeColors: true,
  filesFound: true,
  closeTab: true,
  failed: true,
};

/** Checks only the type, because host and page are built together. */
export function isHostToPage(value: unknown): value is HostToPage {
  return isObject(value) && typeof value["type"] === "string" && Object.hasOwn(TYPES, value["type"]);
}
