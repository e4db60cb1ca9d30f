// Tools for the models of VS Code's chat in tests: some have third-party schema styles, others ask first, return a
// picture or fail.
const vscode = require("vscode");

const text = value => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(value)]);
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const TOOLS = {
  test_add: { invoke: ({ input: { a, b } }) => text(`sum ${a + b}`) },
  test_none: { invoke: ({ input }) => text(`none ${JSON.stringify(input)}`) },
  test_empty: { invoke: ({ input }) => text(`empty ${JSON.stringify(input)}`) },
  test_any: { invoke: ({ input }) => text(`any ${JSON.stringify(input)}`) },
  test_confirmed: {
    prepareInvocation: ({ input }) => ({
      invocationMessage: "Asks first",
      confirmationMessages: { title: "May this be done?", message: String(input.what) },
    }),
    invoke: ({ input }) => text(`done ${input.what}`),
  },
  test_image: {
    invoke: () =>
      new vscode.LanguageModelToolResult([
        new vscode.LanguageModelTextPart("a picture"),
        vscode.LanguageModelDataPart.image(PIXEL, "image/png"),
      ]),
  },
  test_gate: { invoke: ({ input: { name } }, token) => waitForClick(String(name), token) },
  test_throws: {
    invoke: () => {
      throw new Error("it was not possible");
    },
  },
};

/** A tool that runs until its status bar entry is clicked. */
function waitForClick(name, token) {
  const entry = vscode.window.createStatusBarItem(),
    command = `test.open.${++gates}`;
  entry.text = `open ${name}`;
  entry.command = command;
  return new Promise((resolve, reject) => {
    const opening = vscode.commands.registerCommand(command, () => over(() => resolve(text(`${name} is open`))));
    const over = end => {
      opening.dispose();
      entry.dispose();
      end();
    };
    token.onCancellationRequested(() => over(() => reject(new vscode.CancellationError())));
    entry.show();
  });
}
let gates = 0;

/**
 * Waits for VS Code's chat, a separate extension that a command enables. Before it is active, a prompt ends in a dialog
 * that asks to sign in.
 */
function whenChatIsReady(context) {
  const chat = vscode.extensions.getExtension("GitHub.copilot-chat");
  if (chat === undefined) return;
  chat.activate().then(() => {
    const ready = vscode.window.createStatusBarItem();
    ready.text = "the chat is ready";
    ready.show();
    context.subscriptions.push(ready);
  });
}

exports.activate = context => {
  whenChatIsReady(context);
  context.subscriptions.push(vscode.extensions.onDidChange(() => whenChatIsReady(context)));
  for (const [name, tool] of Object.entries(TOOLS)) context.subscriptions.push(vscode.lm.registerTool(name, tool));
};
