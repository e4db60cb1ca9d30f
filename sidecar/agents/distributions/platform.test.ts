import { deepEqual, equal, ok } from "node:assert/strict";
import { PLATFORMS } from "../../../src/protocol/agents/distribution";
import { platformOf, platformsFor } from "./platform";

suite("platform", () => {
  test("maps Node's names to the five documented registry keys and Windows on ARM", () => {
    const systems = ["darwin", "linux", "win32"],
      processors = ["arm64", "x64"];
    deepEqual(
      systems.flatMap(system => processors.map(processor => platformOf(system, processor))),
      PLATFORMS,
    );
  });

  test("returns no key for other systems and processors", () => {
    for (const [system, processor] of [
      ["freebsd", "x64"],
      ["linux", "ia32"],
      ["linux", "riscv64"],
      ["sunos", "x64"],
      ["", ""],
      ["darwin arm64", ""],
    ] as const)
      equal(platformOf(system, processor), undefined);
    deepEqual(platformsFor(undefined), []);
  });

  test("lists the platform first and then only emulated platforms", () => {
    for (const platform of PLATFORMS) equal(platformsFor(platform)[0], platform);
    deepEqual(platformsFor("darwin-aarch64"), ["darwin-aarch64", "darwin-x86_64"]);
    deepEqual(platformsFor("windows-aarch64"), ["windows-aarch64", "windows-x86_64"]);
    for (const platform of ["darwin-x86_64", "windows-x86_64", "linux-x86_64", "linux-aarch64"] as const)
      ok(platformsFor(platform).length === 1);
  });
});
