/** Crate sources with a simulated cargo. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { agentNotFound } from "../../errors";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { ExtensionRig } from "../../testing/extensions/extension-rig";
import type { ExtensionDeps } from "../extension";
import { type ToolCall } from "../tool";
import { CrateSources } from "./crate-sources";

const CALL: ToolCall = { signal: new AbortController().signal, progress: () => undefined };

const MEGABYTE = Buffer.alloc(1024 * 1024, " ");

suite("crate sources without cargo", () => {
  const played = (change: Partial<ExtensionDeps>) =>
    new ExtensionRig({
      clock: new FakeClock(),
      find: async () => "/bin/cargo",
      environment: async () => ({}),
      ...change,
    });
  const asked = (rig: ExtensionRig, call = CALL) => new CrateSources(rig.fixture).find({ name: "pebble" }, "/w", call);
  const failing = (stderr: string) => ({ exit: { code: 101, signal: null }, stdout: "", stderr });

  test("explains how to install it", async () => {
    using rig = played({ find: async () => undefined });
    await rejects(asked(rig), { name: "ToolFailure", message: /install Rust with rustup/ });
  });

  test("stops a hanging cargo after three minutes with a message", async () => {
    const clock = new FakeClock();
    using rig = played({
      clock,
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          queueMicrotask(() => clock.advance(3 * 60_000));
        }),
    });
    await rejects(asked(rig), { name: "ToolFailure", message: /did not finish within 3 minutes/ });
    equal(clock.waiting, 0);
  });

  test("ends cargo when the call is cancelled and leaves no timer", async () => {
    const clock = new FakeClock(),
      withdrawing = new AbortController();
    using rig = played({
      clock,
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          queueMicrotask(() => withdrawing.abort(new Error("never mind")));
        }),
    });
    await rejects(asked(rig, { ...CALL, signal: withdrawing.signal }), { message: "never mind" });
    equal(clock.waiting, 0);
  });

  test("reports cargo's download lines as progress", async () => {
    const notifications: string[] = [];
    using rig = played({
      run: async (_, { line }) => {
        for (const each of ["Updating `here` index", "error: x", "Downloaded pebble v1.1.0"]) line?.(each);
        return failing("error: x");
      },
    });
    await rejects(
      asked(rig, {
        ...CALL,
        progress: message => {
          notifications.push(message);
        },
      }),
    );
    deepEqual([...new Set(notifications)], ["cargo: Updating `here` index", "cargo: Downloaded pebble v1.1.0"]);
  });

  test("rejects metadata above the size limit", async () => {
    using rig = played({
      run: async (_, { stdout }) => {
        for (let i = 0; i < 65; i++) stdout?.(MEGABYTE);
        return { ...failing(""), exit: { code: 0, signal: null } };
      },
    });
    await rejects(asked(rig), { name: "ToolFailure", message: /dependencies of this crate is too large/ });
  });

  test("reports a cargo that cannot start and rethrows other errors", async () => {
    for (const [error, expected] of [
      [agentNotFound("cargo", "/bin/cargo", undefined), { name: "ToolFailure" }],
      [new TypeError("a bug"), { name: "TypeError" }],
    ] as const) {
      using rig = played({
        run: async () => {
          throw error;
        },
      });
      await rejects(asked(rig), expected);
    }
  });

  test("rejects invalid metadata", async () => {
    for (const text of [
      "",
      "[]",
      "{}",
      '{"packages":[{"name":"pebble","version":"1.0.0","id":"a","manifest_path":"relative/Cargo.toml"}],"resolve":{"root":"r","nodes":[{"id":"r","dependencies":["a"]}]}}',
    ]) {
      using rig = played({
        run: async ({ args }, { stdout }) => {
          stdout?.(Buffer.from(args.includes("--no-deps") ? "{}" : text));
          return { ...failing(""), exit: { code: 0, signal: null } };
        },
      });
      await rejects(asked(rig), { name: "ToolFailure", message: /may be too old|does not offer/ }, text);
    }
  });
});
