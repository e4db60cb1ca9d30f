import { deepEqual, equal } from "node:assert/strict";
import { answeredNode, invocation, needsNode } from "./node-program";

const choice = { bundled: "/ext/dist/sidecar.js", custom: "", ownNode: "/code", loginNode: "/usr/bin/node" };

suite("sidecar program", () => {
  test("is run by VS Code's Node without VS Code's own variables", () =>
    deepEqual(
      invocation("serve", "own", choice, {
        PATH: "/bin",
        HOME: undefined,
        VSCODE_PID: "1",
        NODE_OPTIONS: "--inspect",
        ELECTRON_NO_ATTACH_CONSOLE: "1",
        NODE_CHANNEL_FD: "3",
        NODE_EXTRA_CA_CERTS: "/ca",
      }),
      {
        command: "/code",
        args: ["/ext/dist/sidecar.js", "serve"],
        env: { PATH: "/bin", NODE_EXTRA_CA_CERTS: "/ca", ELECTRON_RUN_AS_NODE: "1" },
        program: "/ext/dist/sidecar.js",
      },
    ));

  test("is run by the login shell's Node without the Electron variable", () =>
    deepEqual(invocation("reap", "login", choice, { ELECTRON_RUN_AS_NODE: "1" }), {
      command: "/usr/bin/node",
      args: ["/ext/dist/sidecar.js", "reap"],
      env: {},
      program: "/ext/dist/sidecar.js",
    }));

  test("is symposium.acpAgentPath if set: a script with Node, otherwise directly", () => {
    deepEqual(invocation("serve", "own", { ...choice, custom: "/my/agent.mjs" }, {}), {
      command: "/code",
      args: ["/my/agent.mjs", "serve"],
      env: { ELECTRON_RUN_AS_NODE: "1" },
      program: "/my/agent.mjs",
    });
    deepEqual(invocation("serve", "own", { ...choice, custom: "/my/symposium-acp-agent" }, {}), {
      command: "/my/symposium-acp-agent",
      args: ["serve"],
      env: {},
      program: "/my/symposium-acp-agent",
    });
    deepEqual(
      [choice.custom, "/a.js", "/a.CJS", "/a", "/a.exe"].map(custom => needsNode({ custom })),
      [true, true, true, false, false],
    );
  });

  test("finds the login shell's Node in other output and rejects an old one", () => {
    equal(
      answeredNode("Welcome!\nsymposium-node 22.1.0 /home/me/my node/bin/node\r\nbye"),
      "/home/me/my node/bin/node",
    );
    equal(answeredNode("symposium-node 18.20.1 /usr/bin/node"), undefined);
    equal(answeredNode("sh: node: not found"), undefined);
  });
});
