// The environment of what is started from here.

/** What npm tells the scripts that it runs; what users set for npm itself (a registry, a proxy) is not among it. */
const FROM_NPM =
  /^(npm_(package|lifecycle|command|execpath|node_execpath|config_(user_agent|local_prefix|global_prefix|prefix|node_gyp|npm_version|init_module))|INIT_CWD$)/;
/** What a VS Code gives to the programs in its terminal. */
const FROM_VSCODE = /^(VSCODE_(?!TEST_)|ELECTRON_)/;

/** This process' environment without what npm, a surrounding VS Code and options for this Node put there. */
export function cleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !FROM_NPM.test(name) && !FROM_VSCODE.test(name) && !["NODE_OPTIONS", "NODE_PATH"].includes(name),
    ),
  );
}
