import { deepEqual } from "node:assert/strict";
import { absoluteCommand, shortCommand, type OwnProcess } from "./start-command";

const LINKS: Readonly<Record<string, string>> = {
  "/brew/bin/node": "/brew/Cellar/node/22.1.0/bin/node",
  "/usr/bin/node": "/usr/bin/node",
  "/brew/bin/symposium-acp-agent": "/brew/lib/node_modules/symposium-acp-agent/dist/sidecar.js",
};
const own = (overrides: Partial<OwnProcess> = {}): OwnProcess => ({
  node: "/brew/Cellar/node/22.1.0/bin/node",
  script: "/brew/bin/symposium-acp-agent",
  electron: false,
  platform: "linux",
  env: { PATH: "/brew/bin:/usr/bin" },
  isProgram: file => file in LINKS,
  realPath: file => LINKS[file] ?? file,
  ...overrides,
});

suite("start command of another editor", () => {
  test("uses paths that remain valid after updates", () => {
    deepEqual(absoluteCommand(own()), {
      command: "/brew/bin/node",
      args: ["/brew/bin/symposium-acp-agent", "run"],
      env: {},
    });
  });

  test("uses the running Node if another one is on PATH", () => {
    deepEqual(absoluteCommand(own({ env: { PATH: "/usr/bin" } })).command, "/brew/Cellar/node/22.1.0/bin/node");
    deepEqual(absoluteCommand(own({ env: {} })).command, "/brew/Cellar/node/22.1.0/bin/node");
  });

  test("starts VS Code's Electron as Node", () => {
    const code = { node: "/opt/code", script: "/ext/dist/sidecar.js", electron: true };
    const expected = {
      command: "/opt/code",
      args: ["/ext/dist/sidecar.js", "run"],
      env: { ELECTRON_RUN_AS_NODE: "1" },
    };
    deepEqual(absoluteCommand(own(code)), expected);
    deepEqual(shortCommand(own(code)), expected);
  });

  test("starts npx if the program is in the cache of npx", () => {
    const script = "/home/ada/.npm/_npx/1a2b/node_modules/.bin/symposium-acp-agent",
      args = ["-y", "symposium-acp-agent", "run"];
    deepEqual(absoluteCommand(own({ script })), { command: "npx", args, env: {} });
    deepEqual(shortCommand(own({ script, env: {} })), { command: "npx", args, env: {} });
    const windows = { platform: "win32", script: "C:\\npm-cache\\_npx\\1a2b\\node_modules\\x\\dist\\sidecar.js" };
    deepEqual(absoluteCommand(own(windows)), { command: "npx.cmd", args, env: {} });
  });

  test("uses the name only if it starts this program", () => {
    deepEqual(shortCommand(own()), { command: "symposium-acp-agent", args: ["run"], env: {} });
    deepEqual(shortCommand(own({ script: LINKS["/brew/bin/symposium-acp-agent"]! })).command, "symposium-acp-agent");
    deepEqual(
      shortCommand(own({ script: "/opt/symposium/dist/sidecar.js" })),
      absoluteCommand(own({ script: "/opt/symposium/dist/sidecar.js" })),
    );
    deepEqual(shortCommand(own({ env: {} })), absoluteCommand(own({ env: {} })));
  });
});
