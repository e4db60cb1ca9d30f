/**
 * More agents from a local registry: found, selected, and stored in the user's settings; also if the registry is
 * unavailable.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openBox, type Box } from "./harness";
import { setting, shows } from "./settings-box";

const ENTRY = {
  id: "ada",
  name: "Ada",
  version: "1.2.3",
  description: "Counts what can be counted",
  distribution: { npx: { package: "@s/ada@1.2.3", args: ["--acp"] } },
};
const DOCUMENT = {
  version: "1.0.0",
  agents: [
    {
      id: "elsewhere",
      name: "Elsewhere",
      version: "1.0.0",
      description: "",
      distribution: { binary: { "windows-x86_64": { archive: "https://example.com/a.zip", cmd: "a.exe" } } },
    },
    ENTRY,
  ],
};

suite("registry agent", () => {
  let box: Box,
    server: Server,
    requests = 0;
  suiteSetup(async () => {
    server = createServer((_, response) => {
      requests++;
      response.setHeader("content-type", "application/json").end(JSON.stringify(DOCUMENT));
    });
    await new Promise<void>(resolve => {
      server.listen(0, "127.0.0.1", resolve);
    });
    box = await openBox({
      settings: {
        "symposium.registryUrl": `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`,
        "symposium.agents": { mine: { command: "my-agent" } },
      },
    });
    await box.open();
  });
  suiteTeardown(async () => {
    await box.close();
    server.close();
  });

  const rows = () => box.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row");
  async function more(placeHolder: string): Promise<void> {
    await box.command("Symposium: Select Agent");
    await rows().filter({ hasText: "More Agents from the Registry" }).click();
    await box.page.locator(`.quick-input-widget:visible input[placeholder*="${placeHolder}"]`).waitFor();
    await rows().filter({ hasText: "Counts what can be counted" }).waitFor();
  }

  test("is requested only on demand, added to the settings, and available offline with the age of the cache", async () => {
    assert.equal(requests, 0);
    await more("Installed with the first tab");
    assert.equal(requests, 1);
    await box.screenshot("registry");
    await rows()
      .last()
      .filter({ hasText: /Elsewhere[^]*1\.0\.0/ })
      .waitFor();

    await rows().filter({ hasText: "Counts what can be counted" }).click();
    let agents: unknown;
    await shows(
      box.frame,
      () =>
        setting(box, "symposium.currentAgentId") === "ada" && (agents = setting(box, "symposium.agents")) !== undefined,
      "it is selected",
    );
    assert.deepEqual(agents, [
      { id: "mine", distribution: { local: { command: "my-agent" } } },
      { ...ENTRY, _source: "registry" },
    ]);
    await box.frame
      .locator('[data-part=chat]:visible select[aria-label^="The agent of this tab"] option:checked', {
        hasText: "Ada",
      })
      .waitFor({ state: "attached" });

    server.closeAllConnections();
    await new Promise<void>(resolve => {
      server.close(() => resolve());
    });
    await more("This list was read ");
    assert.match(
      (await box.page.locator(".quick-input-widget:visible input[placeholder]").getAttribute("placeholder")) ?? "",
      /This list was read (less than a minute|1 minute|\d minutes) ago\.$/,
    );
    await box.screenshot("registry-offline");
    await box.page.keyboard.press("Escape");
  });
});
