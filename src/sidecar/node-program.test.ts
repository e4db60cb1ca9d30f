import { deepEqual, equal } from "node:assert/strict";
import { answeredNode, invocation, needsNode } from "./node-program";

const choice = { bundled: "/ext/dist/sidecar.js", custom: "", ownNode: "/code", loginNode: "/usr/bin/node" };

suite("the program that becomes the sidecar", () => {
  test("VS Code's own Node runs the bundled program, as Node and without what VS Code keeps for itself", () =>
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

  test("the login shell's Node needs no Electron variable", () =>
    deepEqual(invocation("reap", "login", choice, { ELECTRON_RUN_AS_NODE: "1" }), {
      command: "/usr/bin/node",
      args: ["/ext/dist/sidecar.js", "reap"],
      env: {},
      program: "/ext/dist/sidecar.js",
    }));

  test("symposium.acpAgentPath wins: a script is run with Node, anything else directly", () => {
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

  test("a login shell's answer is found among other output; one that is too old or absent is none", () => {
    equal(
      answeredNode("Welcome!\nsymposium-node 22.1.0 /home/me/my node/bin/node\r\nbye"),
      "/home/me/my node/bin/node",
    );
    equal(answeredNode("symposium-node 18.20.1 /usr/bin/node"), undefined);
    equal(answeredNode("sh: node: not found"), undefined);
  });
});
