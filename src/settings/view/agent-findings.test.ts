import { deepEqual, equal } from "node:assert/strict";
import type { AgentState } from "../../protocol/agents/agent-service";
import type { Diagnosis } from "../../protocol/agents/diagnosis";
import { findingText, installed, missing, outcome, ready, rowOf, states } from "../../testing/settings-model-fixture";
import { keyOf, type Outcome } from "./settings-model";

suite("agent findings", () => {
  const diagnosed = (diagnosis: Diagnosis): Outcome => ({ kind: "diagnosed", diagnosis, report: "R" });

  test("shows a diagnosis with its fix, report and dismissal", () => {
    const finding = rowOf("ada", {
      ...states(["ada", installed]),
      ...outcome(
        diagnosed({
          cause: "halfInstalled",
          sentence: "Ada is only partly installed.",
          fix: { action: "reinstall", label: "Install Again" },
          detail: "ENOENT",
        }),
      ),
    }).findings[0];
    deepEqual(
      [
        findingText(finding),
        finding?.detail,
        finding?.buttons.every(({ about }) => about === "Ada"),
        finding?.buttons[0]?.isMain,
      ],
      [
        [
          "error",
          "Ada is only partly installed.",
          "Install Again=reinstall",
          "Copy Report=copyReport",
          "Dismiss=dismiss",
        ],
        "ENOENT",
        true,
        true,
      ],
    );
  });

  test("is good for a working agent and a warning for sign-in", () =>
    deepEqual(
      (["fine", "signIn", "exited"] as const).map(
        cause => rowOf("ada", outcome(diagnosed({ cause, sentence: "S." }))).findings[0]?.tone,
      ),
      ["good", "warning", "error"],
    ));

  test("maps each fix to its action", () => {
    const buttonFor = (fix: NonNullable<Diagnosis["fix"]>, state: AgentState = installed) =>
      rowOf("ada", { ...states(["ada", state]), ...outcome(diagnosed({ cause: "exited", sentence: "S.", fix })) })
        .findings[0]?.buttons[0]?.action;
    const fix = (action: NonNullable<Diagnosis["fix"]>["action"], url?: string) => ({
      action,
      label: "L",
      ...(url === undefined ? {} : { url }),
    });
    deepEqual(
      [
        buttonFor(fix("settings")),
        buttonFor(fix("logs")),
        buttonFor(fix("signIn")),
        buttonFor(fix("retry")),
        buttonFor(fix("page", "https://nodejs.org/")),
      ],
      ["edit", "logs", "signIn", "examine", "page"],
    );
    deepEqual(
      [
        buttonFor(fix("install"), missing),
        buttonFor(fix("install")),
        buttonFor(fix("reinstall")),
        buttonFor(fix("reinstall"), missing),
      ],
      ["install", "reinstall", "reinstall", "install"],
    );
    for (const nowhere of [
      buttonFor(fix("page")),
      buttonFor(fix("page", "http://x")),
      buttonFor(fix("page", "javascript:1")),
      buttonFor(fix("install"), ready),
      buttonFor(fix("reinstall"), ready),
    ])
      equal(nowhere, "copyReport");
  });

  test("shows a failure with the log", () =>
    deepEqual(findingText(rowOf("ada", outcome({ kind: "failed", sentence: "npm says no." })).findings[0]), [
      "error",
      "npm says no.",
      "Show Logs=logs",
      "Dismiss=dismiss",
    ]));

  test("shows the last start failure until dismissed, unless a newer finding exists", () => {
    const change = (dismissed?: number) => ({
      ...states(["ada", { ...installed, lastError: { sentence: "It stopped.", at: 5 } }]),
      dismissed: new Map(dismissed === undefined ? [] : [[keyOf("agent", "ada"), dismissed]]),
    });
    deepEqual(findingText(rowOf("ada", change()).findings[0]), [
      "error",
      "It stopped.",
      "Check=examine",
      "Show Logs=logs",
      "Dismiss=dismiss",
    ]);
    deepEqual([rowOf("ada", change(5)).findings, rowOf("ada", change(4)).findings.length], [[], 1]);
    deepEqual(
      rowOf("ada", { ...change(), ...outcome({ kind: "failed", sentence: "F." }) }).findings.map(
        ({ sentence }) => sentence,
      ),
      ["F."],
    );
  });
});
