/** Recommended extensions in a real VS Code, without a network: the suggestion, its reason, and the added extension. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { openBox, type Box } from "./harness";
import { notification, seen } from "./scripted";
import { isFine, openSettings, press, rowOf, setting, settingsFrame, shows } from "./settings-box";

const REGISTRY = "registry+https://github.com/rust-lang/crates.io-index";
const lockWith = (...crates: readonly string[]): string =>
  [
    "version = 4",
    `[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = [\n${crates.map(name => ` "${name}",\n`).join("")}]`,
    ...crates.map(name => `[[package]]\nname = "${name}"\nversion = "1.0.0"\nsource = "${REGISTRY}"`),
  ].join("\n\n");

/** A Rust project whose cargo configuration names a program of the project. */
function writeProject(folder: string): void {
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  write("Cargo.toml", `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ntokio = "1"\n`);
  write("Cargo.lock", lockWith("tokio"));
  write("src/lib.rs", "");
  write("evil", `#!/bin/sh\ntouch '${path.join(folder, "evil-ran")}'\n`);
  chmodSync(path.join(folder, "evil"), 0o755);
  write(".cargo/config.toml", `[build]\nrustc = "./evil"\n`);
  write(".symposium/recommendations.toml", `[[recommendation]]\nsource.acp = "project-rules"\n`);
}

/** A login shell with a scripted cargo, which runs the compiler that the project names and prints metadata. */
class CargoMachine implements Disposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), "recommendations-"));

  constructor() {
    const file = (name: string): string => path.join(this.folder, name),
      metadata = { packages: [{ name: "tokio", metadata: { symposium: { recommended: ["symposium-tokio"] } } }] };
    writeFileSync(file("metadata.json"), JSON.stringify(metadata));
    mkdirSync(file("bin"));
    writeFileSync(
      file("bin/cargo"),
      `#!/bin/sh\ntouch '${file("cargo-ran")}'\n[ "$1" = metadata ] || exit 0\n./evil\ncat '${file("metadata.json")}'\n`,
      { mode: 0o755 },
    );
    writeFileSync(
      file("shell"),
      `#!/bin/sh\nPATH='${file("bin")}':$PATH\nexport PATH\nwhile [ "$1" != -c ]; do shift; done\nexec /bin/sh "$@"\n`,
      { mode: 0o755 },
    );
  }

  /** The environment of the window's server. */
  get env(): Readonly<Record<string, string>> {
    return { SHELL: path.join(this.folder, "shell") };
  }
  get hasRun(): boolean {
    return existsSync(path.join(this.folder, "cargo-ran"));
  }
  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function userList(): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "recommendations-")), "list.toml");
  writeFileSync(file, `[[recommendation]]\nsource.crate = "tokio-helper"\nwhen-using-crate = "tokio"\n`);
  return file;
}

const options = (list: string, { env }: CargoMachine) => ({
  env,
  settings: { "symposium.recommendations": [list], "symposium.updates": "off" },
});
const section = (page: FrameLocator) => page.getByRole("region", { name: "Recommended Extensions" });

suite("recommended extensions", () => {
  const machine = new CargoMachine();
  let box: Box, list: string;
  suiteSetup(async () => {
    list = userList();
    box = await openBox(options(list, machine));
    writeProject(box.folders[0] ?? "");
  });
  suiteTeardown(async () => {
    await box.close();
    machine[Symbol.dispose]();
  });

  test("are announced, shown with their reason, and added", async () => {
    await box.open();
    const toast = await notification(box, "3 agent extensions are recommended for this workspace");
    await toast.getByRole("button", { name: "Show", exact: true }).click();
    const page = await settingsFrame(box, "page");
    await section(page).waitFor();
    await rowOf(page, "tokio-helper").getByText(`Recommended by ${list} because this project uses tokio.`).waitFor();
    await rowOf(page, "project-rules").getByText("Recommended by .symposium/recommendations.toml of").waitFor();
    await rowOf(page, "symposium-tokio")
      .getByText("Recommended by the crate tokio because this project uses tokio.")
      .waitFor();
    await section(page).scrollIntoViewIfNeeded();
    await isFine(page, "editor-background");
    await box.screenshot("recommendations");

    await press(page, "Dismiss: project-rules");
    await press(page, "Dismiss: symposium-tokio");
    await page.getByRole("button", { name: "Show 2 Dismissed Recommendations" }).waitFor();
    await press(page, "Add: tokio-helper");
    const added = page.locator(".row[data-of=extension]", { has: page.locator(`.name >> text="tokio-helper"`) });
    await added.getByRole("checkbox", { name: "Enable tokio-helper", checked: true }).waitFor();
    await shows(page, async () => added.evaluate(row => row === document.activeElement), "the focus on the new row");
    await shows(
      page,
      () => JSON.stringify(setting(box, "symposium.extensions")).includes(`"cargo":{"crate":"tokio-helper"}`),
      "it in the settings",
    );
    assert.equal(await page.locator(".row[data-of=recommendation]").count(), 0);
    await box.screenshot("recommendation-added");
  });

  test("report a crate that the project does not use any longer", async () => {
    writeFileSync(path.join(box.folders[0] ?? "", "Cargo.lock"), lockWith("serde"));
    const page = await openSettings(box, "page");
    await page
      .getByText("This extension was recommended for this workspace, but this project does not use tokio.")
      .waitFor();
    await press(page, "Keep: tokio-helper");
    await shows(page, async () => (await page.getByText("does not use tokio").count()) === 0, "its end");
  });
});

suite("recommended extensions in an untrusted workspace", () => {
  const machine = new CargoMachine();
  let box: Box;
  suiteSetup(async () => {
    box = await openBox({ ...options(userList(), machine), restricted: true });
    writeProject(box.folders[0] ?? "");
  });
  suiteTeardown(async () => {
    await box.close();
    machine[Symbol.dispose]();
  });

  const hasEvilRun = (): boolean => existsSync(path.join(box.folders[0] ?? "", "evil-ran"));

  test("are not shown, and no program of the project runs", async () => {
    await box.open();
    const page = await openSettings(box, "page");
    await page.getByRole("button", { name: "Manage Workspace Trust" }).waitFor();
    assert.equal(await section(page).count(), 0);
    assert.deepEqual([machine.hasRun, hasEvilRun()], [false, false]);
    await press(page, "Manage Workspace Trust");
    await box.page
      .locator(".workspace-trust-editor .monaco-button", { hasText: /^(Trust|Trust Workspace|Trust Folder)/ })
      .first()
      .click();
    await seen(
      async () => (await section(await openSettings(box, "page")).count()) > 0,
      "the recommendations after the user trusted the workspace",
    );
    // A trusted workspace runs cargo, so the absence above is meaningful.
    await seen(async () => machine.hasRun && hasEvilRun(), "cargo");
  });
});
