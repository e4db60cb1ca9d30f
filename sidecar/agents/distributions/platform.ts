/** Maps Node's system and processor names to registry platform keys (documents, "Platform Detection"). Pure. */
import type { Platform } from "../../../src/protocol/agents/distribution";

const KEYS: ReadonlyMap<string, Platform> = new Map([
  ["darwin arm64", "darwin-aarch64"],
  ["darwin x64", "darwin-x86_64"],
  ["linux arm64", "linux-aarch64"],
  ["linux x64", "linux-x86_64"],
  ["win32 arm64", "windows-aarch64"],
  ["win32 x64", "windows-x86_64"],
]);

/** Platforms with emulation: Rosetta, and Windows on ARM. */
const EMULATED: Readonly<Partial<Record<Platform, Platform>>> = {
  "darwin-aarch64": "darwin-x86_64",
  "windows-aarch64": "windows-x86_64",
};

/** Arguments: `process.platform` and `process.arch`. Undefined: the registry has no key for the platform. */
export function platformOf(system: string, processor: string): Platform | undefined {
  return KEYS.get(`${system} ${processor}`);
}

/** Returns the platforms whose programs run here, the best first. */
export function platformsFor(platform: Platform | undefined): readonly Platform[] {
  if (platform === undefined) return [];
  const emulated = EMULATED[platform];
  return emulated === undefined ? [platform] : [platform, emulated];
}

export function isWindows(platform: Platform): boolean {
  return platform.startsWith("windows-");
}
