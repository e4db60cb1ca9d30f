import { deepEqual, equal, ok } from "node:assert/strict";
import type { InstallState } from "../../protocol/agents/agent-service";
import {
  acts,
  findingText,
  house,
  houseWith,
  installed,
  marks,
  model,
  own,
  settingsOf,
  states,
} from "../../testing/settings-model-fixture";
import { howStarted } from "./row-texts";
import { keyOf } from "./settings-model";
import { settingsView } from "./view-state";

suite("extension row", () => {
  test("shows an installation without a version", () => {
    const row = houseWith({
      extensionStates: new Map<string, InstallState>([["house", { kind: "binary", install: { kind: "installed" } }]]),
    });
    ok(row && marks(row).includes("installed"), row && marks(row).join());
  });

  test("keeps the order and shows switch and state", () => {
    const row = houseWith({
      extensionStates: new Map<string, InstallState>([
        ["house", { kind: "cargo", install: { kind: "installed", version: "0.1.0" } }],
      ]),
    });
    deepEqual(
      [row.isEnabled, row.origin, marks(row), acts(row)],
      [false, "Your own, crate house", ["installed 0.1.0"], ["update", "edit", "uninstall", "remove"]],
    );
  });

  test("shows that an extension is an MCP server", () => {
    const row = settingsView(model({ settings: settingsOf([], "", [{ ...house, kind: "mcp" }]) }), false).extensions[0];
    equal(row?.origin, "Your own, MCP server, crate house");
  });

  test("shows an address without secrets and no installation", () => {
    const at = (url: string) => ({ ...house, kind: "mcp" as const, distribution: { http: { url } } });
    const rowAt = (url: string, state: InstallState) =>
      settingsView(
        model({ settings: settingsOf([], "", [at(url)]), extensionStates: new Map([["house", state]]) }),
        false,
      ).extensions[0]!;
    const ready = { kind: "http", install: { kind: "ready" } } as const,
      row = rowAt("https://mcp.example.com:8443/v1/?key=hunter2#x", ready),
      wrong = rowAt("nowhere", { ...ready, missing: "House cannot be used." });
    deepEqual(
      [row.origin, marks(row), row.findings, acts(row)],
      ["Your own, MCP server, at mcp.example.com:8443/v1", [], [], ["edit", "remove"]],
    );
    deepEqual(
      [wrong.origin, wrong.findings.map(({ sentence }) => sentence)],
      ["Your own, MCP server, at an invalid URL", ["House cannot be used."]],
    );
    equal(howStarted({ http: { url: "http://localhost:1" } }, "http"), "at localhost:1");
  });

  test("is separate from an agent with the same id", () => {
    const settings = settingsOf([{ ...own, id: "house" }], "", [house]);
    const row = houseWith({
      settings,
      ...states(["house", installed]),
      outcomes: new Map([[keyOf("agent", "house"), { kind: "failed", sentence: "F." }]]),
      work: new Map([[keyOf("agent", "house"), "examining"]]),
    });
    deepEqual([marks(row), row.findings, row.progress], [["…"], [], undefined]);
  });

  test("offers another installation after a failed start", () => {
    const row = houseWith({
      extensionStates: new Map<string, InstallState>([
        [
          "house",
          {
            kind: "cargo",
            install: { kind: "installed", version: "0.1.0" },
            lastError: { sentence: "It stopped.", at: 1 },
          },
        ],
      ]),
    });
    deepEqual(findingText(row.findings[0]), [
      "error",
      "It stopped.",
      "Install Again=reinstall",
      "Show Logs=logs",
      "Dismiss=dismiss",
    ]);
  });
});
