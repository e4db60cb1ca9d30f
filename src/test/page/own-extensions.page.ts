/** Built-in extensions, the default and the optional ones, in a real VS Code with a Rust project. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { lastExchange, openBox, sendPrompt, turnEnded, type Box } from "./harness";
import { ask, button, newTab, seen, shownTab } from "./scripted";
import { closeEditors, names, openSettings, press, rowOf, setting, shows } from "./settings-box";

const EXTENSIONS = "symposium.extensions";

suite("Symposium's own extensions", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openBox({
      settings: { [EXTENSIONS]: null, "symposium.registryUrl": "http://127.0.0.1:9/registry.json" },
    });
    const [folder = ""] = box.folders;
    mkdirSync(path.join(folder, "src"), { recursive: true });
    writeFileSync(path.join(folder, "Cargo.toml"), `[package]\nname = "rusty"\nversion = "0.1.0"\nedition = "2021"\n`);
    writeFileSync(path.join(folder, "src/main.rs"), "fn main() {}\n");
    await box.open();
  });
  suiteTeardown(() => box.close());

  const chat = () => shownTab(box);

  /** Sends a prompt whose turn asks the user, and presses `label`. */
  async function answered(text: string, label: RegExp): Promise<string> {
    await sendPrompt(box.frame, text);
    await button(box.frame, label).click();
    await turnEnded(box.frame);
    return (await lastExchange(box.frame)).answer;
  }

  test("keeps the user's first message, offers its tools and appears in the session details", async () => {
    assert.match(await ask(box, "Hello"), /How do you do/);
    assert.equal(existsSync(path.join(box.folders[0] ?? "", ".sparkle-space")), false);

    assert.match(await ask(box, "list tools from sparkle"), /list_sparklers/);
    assert.match(await ask(box, "list tools from ferris"), /crate_sources[^]*rust_crate_query/);
    assert.match(await ask(box, `use tool cargo-mcp::set_cwd with {"cwd":"src"}`), /The cargo tools run in src\./);

    await chat().locator("[data-part=dock-details]").click();
    for (const [name, server] of [
      ["Sparkle", "sparkle"],
      ["Ferris", "ferris"],
      ["Cargo", "cargo-mcp"],
    ] as const)
      await seen(
        async () => new RegExp(`${name}[^]*${server}`).test(await chat().locator(".symposium-details").innerText()),
        `${name} and its server`,
      );
    await box.screenshot("own-extensions-details");
    await chat().locator("[data-part=dock-details]").click();
  });

  test("writes notes and runs cargo only with consent, and asks once for .sparkle-space", async () => {
    assert.match(
      await answered(
        `use tool sparkle::session_checkpoint with {"working_memory":"Half of it stands.","checkpoint_content":"We began."}`,
        /^Allow Once$/,
      ),
      /Saved in/,
    );
    assert.equal(existsSync(path.join(box.folders[0] ?? "", ".sparkle-space", "working-memory.md")), true);

    assert.match(await answered("use tool cargo-mcp::cargo_run", /^Reject$/), /did not allow this: cargo run/);
    assert.equal(existsSync(path.join(box.folders[0] ?? "", "target")), false);

    await newTab(box);
    await sendPrompt(box.frame, "Hello");
    await button(box.frame, "⋯").waitFor();
    await box.screenshot("own-extensions-sparkle-space");
    await button(box.frame, "⋯").click();
    await chat().getByRole("menuitem", { name: "Never for This Folder" }).click();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /How do you do/);
    await newTab(box);
    assert.match(await ask(box, "Hello"), /How do you do/);
  });

  test("is listed in the settings when enabled, and others can be added", async () => {
    const page = await openSettings(box, "page");
    await shows(
      page,
      async () => JSON.stringify(await names(page, "extension")) === JSON.stringify(["Sparkle", "Ferris", "Cargo"]),
      "the three",
    );
    await press(page, "Add Extension…");
    const rows = box.page.locator(".quick-input-widget .monaco-list-row");
    await rows.filter({ hasText: "Sparkle" }).filter({ hasText: "already added" }).waitFor();
    await box.screenshot("own-extensions-add");
    await rows.filter({ hasText: "Workspace" }).click();
    await shows(
      page,
      () =>
        (setting(box, EXTENSIONS) as readonly { readonly id: string }[] | null)?.map(({ id }) => id).join() ===
        "sparkle,ferris,cargo,workspace",
      "it in the settings",
    );
    await rowOf(page, "Workspace").waitFor();
    await closeEditors(box);
    await newTab(box);
    assert.match(await ask(box, "list tools from workspace-tools"), /read_file[^]*run_terminal/);
  });
});
