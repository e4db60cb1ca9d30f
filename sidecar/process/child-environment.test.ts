import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { childEnvironment, RUN_ID } from "./child-environment";

suite("child environment", () => {
  for (const name of [
    "ELECTRON_RUN_AS_NODE",
    "ELECTRON_NO_ATTACH_CONSOLE",
    "VSCODE_PID",
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_NODE_OPTIONS",
    "NODE_OPTIONS",
    "NODE_INSPECT_RESUME_ON_START",
    "NODE_CHANNEL_FD",
    "NODE_CHANNEL_SERIALIZATION_MODE",
    "NODE_UNIQUE_ID",
    "CHROME_DESKTOP",
    "CHROME_CRASHPAD_PIPE_NAME",
    "CODE_SERVER_PARENT_PID",
    "CODE_SERVER_SESSION_SOCKET",
    "SYMPOSIUM_ATTACH",
    "SYMPOSIUM_ATTACH_TO",
    "SYMPOSIUM_MCP_URL",
    "SYMPOSIUM_MCP_TOKEN",
    "SYMPOSIUM_MCP_HEADERS",
  ]) {
    test(`does not inherit ${name}`, () =>
      deepEqual(childEnvironment({ [name]: "1" }, {}, "r", "linux"), { [RUN_ID]: "r" }));
  }

  test("inherits the user's variables, including similar names", () => {
    const parent = {
      PATH: "/bin",
      NODE_PATH: "/lib",
      NODE_EXTRA_CA_CERTS: "/ca",
      HTTPS_PROXY: "p",
      MY_VSCODE_PID: "1",
      ELECTRON: "x",
      NODE_OPTIONS_2: "y",
      EMPTY: "",
    };
    deepEqual(childEnvironment(parent, {}, "r", "linux"), { ...parent, [RUN_ID]: "r" });
  });

  test("prefers the agent's own variables to inherited and excluded ones", () =>
    deepEqual(
      childEnvironment(
        { A: "1", B: "2", NODE_OPTIONS: "--inspect" },
        { B: "3", NODE_OPTIONS: "--max-old-space-size=9" },
        "r",
        "linux",
      ),
      { A: "1", B: "3", NODE_OPTIONS: "--max-old-space-size=9", [RUN_ID]: "r" },
    ));

  test("always sets its own run id", () =>
    equal(childEnvironment({ [RUN_ID]: "outer" }, { [RUN_ID]: "agent" }, "ours", "linux")[RUN_ID], "ours"));

  test("omits undefined values", () =>
    deepEqual(childEnvironment({ A: undefined, B: "1" }, { B: undefined }, "r", "linux"), { B: "1", [RUN_ID]: "r" }));

  test("compares names case-insensitively on Windows", () =>
    deepEqual(
      childEnvironment(
        { Path: "a", Electron_Run_As_Node: "1", symposium_run_id: "outer" },
        { PATH: "b" },
        "r",
        "win32",
      ),
      { PATH: "b", [RUN_ID]: "r" },
    ));

  test("compares names case-sensitively on other systems", () =>
    deepEqual(childEnvironment({ Path: "a", electron_run_as_node: "1" }, { PATH: "b" }, "r", "linux"), {
      Path: "a",
      electron_run_as_node: "1",
      PATH: "b",
      [RUN_ID]: "r",
    }));

  test("contains no names that differ only in case on Windows", () => {
    const names = fc.constantFrom("Path", "PATH", "path", "Temp", "TEMP", RUN_ID, RUN_ID.toLowerCase());
    const environment = fc.dictionary(names, fc.option(fc.string(), { nil: undefined }));
    fc.assert(
      fc.property(environment, environment, (parent, extra) => {
        const made = Object.keys(childEnvironment(parent, extra, "r", "win32"));
        equal(new Set(made.map(name => name.toUpperCase())).size, made.length);
      }),
      { numRuns: 100 },
    );
  });
});
