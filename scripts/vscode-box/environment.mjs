// The environment of started processes.

/**
 * Variables that npm sets for its scripts. Does not match the user's npm configuration, such as a registry or a proxy.
 */
const FROM_NPM =
  /^(npm_(package|lifecycle|command|execpath|node_execpath|config_(user_agent|local_prefix|global_prefix|prefix|node_gyp|npm_version|init_module))|INIT_CWD$)/;
/** Variables that VS Code sets for programs in its terminal. */
const FROM_VSCODE = /^(VSCODE_(?!TEST_)|ELECTRON_)/;

/** The environment without variables of npm, of a surrounding VS Code, and of options for this Node. */
export function cleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !FROM_NPM.test(name) && !FROM_VSCODE.test(name) && !["NODE_OPTIONS", "NODE_PATH"].includes(name),
    ),
  );
}
