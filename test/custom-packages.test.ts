import { ok } from "node:assert/strict";
import fc from "fast-check";
import { choose } from "../sidecar/agents/distributions/choose";
import { wrongAddress } from "../sidecar/agents/distributions/server-address";
import { isSegment } from "../sidecar/agents/distributions/folder-name";
import { readDistribution } from "../src/protocol/agents/distribution";
import { customEntry, sourceOf, wrongArguments, wrongSource, type Custom } from "../src/settings/store/custom-entry";

/** The host validates the user's input and the sidecar validates settings. Neither imports the other. */
suite("custom package", () => {
  const spec = fc.stringMatching(/^@?[a-zA-Z0-9._~-]{0,8}[/[]?[a-zA-Z0-9.,_-]{0,8}\]?(==|@|>=)?[a-z0-9.^*+-]{0,6}$/);
  const isInstallable = (kind: Custom["kind"], source: string): boolean => {
    const { id, distribution } = customEntry({ kind, source, args: "" }, []),
      read = readDistribution(distribution);
    return isSegment(id) && read !== undefined && !("missing" in choose(read, { platforms: [], has: () => true }));
  };

  test("is accepted exactly if it can be installed (property)", () =>
    fc.assert(
      fc.property(fc.constantFrom<Custom["kind"]>("npx", "python", "cargo"), spec, (kind, text) => {
        const isAccepted = wrongSource(kind, text) === undefined,
          source = sourceOf(text);
        // A crate's version is a separate field, so a text that combines both is not comparable.
        if (isAccepted || kind !== "cargo")
          ok(source === "" ? !isAccepted : isInstallable(kind, source) === isAccepted, `${kind} ${text}`);
      }),
      { numRuns: 2_000 },
    ));

  test("accepts exactly usable addresses (property)", () => {
    const address = fc.stringMatching(
        /^(https?|ftp|acp)?:?(\/\/)?([a-z]{1,3}@)?[a-z. ]{0,6}(:[0-9]{1,3})?[a-z?=/ ]{0,4}$/,
      ),
      header = fc.stringMatching(/^[A-Z -]{0,6}:?[ \t!-~é…]{0,6}$/);
    fc.assert(
      fc.property(address, header, (text, line) => {
        const isAccepted = wrongSource("server", text) === undefined,
          isHeader = wrongArguments("server", line) === undefined,
          source = sourceOf(text);
        const { http } =
          readDistribution(
            customEntry({ kind: "server", source, args: isHeader ? line : "" }, [])["distribution"],
            true,
          ) ?? {};
        ok((http !== undefined && wrongAddress(http) === undefined) === isAccepted, `${text} ${line}`);
      }),
      { numRuns: 2_000 },
    );
  });
});
