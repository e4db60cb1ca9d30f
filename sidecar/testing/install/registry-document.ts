/** A registry with an agent of each kind of distribution. */
import { PLATFORMS, type Platform } from "../../../src/protocol/agents/distribution";

const archiveOf = (platform: Platform): object => ({
  archive: `https://example.com/ada-${platform}.${platform.startsWith("windows") ? "zip" : "tar.gz"}`,
  cmd: platform.startsWith("windows") ? "./bin/ada.exe" : "./bin/ada",
  args: ["acp"],
  env: { ADA_DISABLE_UPDATE: "x" },
});
const archives = (...platforms: readonly Platform[]): object => ({
  binary: Object.fromEntries(platforms.map(platform => [platform, archiveOf(platform)])),
});

/** One agent per kind of distribution, by id. */
export const KINDS: Readonly<Record<string, object>> = {
  npx: { npx: { package: "@ada/agent@1.2.3", args: ["--acp"], env: { ADA_DISABLE_UPDATE: "x" } } },
  "npx-cmd": { npx: { package: "@ada/agent@1.2.3", cmd: "ada-acp", args: ["--fast"] } },
  uvx: { uvx: { package: "ada@1.2.3", args: ["acp"] } },
  "uvx-cmd": { uvx: { package: "ada[acp]==1.2.3", cmd: "ada-acp" } },
  pipx: { pipx: { package: "ada==1.2.3", args: ["acp"] } },
  "pipx-cmd": { pipx: { package: "ada", cmd: "ada-acp" } },
  cargo: { cargo: { crate: "ada-agent", version: "1.2.3", args: ["acp"] } },
  "cargo-newest": { cargo: { crate: "ada-agent" } },
  "cargo-binary": { cargo: { crate: "ada-agent", version: "1.2.3", binary: "ada" } },
  binary: archives(...PLATFORMS),
  "binary-x64": archives("darwin-x86_64", "linux-x86_64", "windows-x86_64"),
  "npx-and-binary": { npx: { package: "@ada/agent@1.2.3" }, ...archives(...PLATFORMS) },
};
export const DOCUMENT = {
  version: "1.0.0",
  agents: [
    ...Object.entries(KINDS).map(([id, distribution]) => ({ id, name: `Ada ${id}`, version: "1.2.3", distribution })),
    { id: "gemini", name: "Other", version: "9.9.9", distribution: { npx: { package: "other" } } },
  ],
  extensions: [{ id: "ext", version: "1.0.0", distribution: { npx: { package: "ext" } } }],
};
