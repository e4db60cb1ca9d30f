// Sixty tools, and a tool that requests confirmation. The tools log their calls in a file of the workspace that only
// this test uses.
const { appendFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { contributes } = require("./package.json");

exports.activate = context => {
  for (const { name } of contributes.languageModelTools)
    context.subscriptions.push(
      vscode.lm.registerTool(name, {
        ...(name === "agents_asks"
          ? {
              prepareInvocation: ({ input }) => ({
                confirmationMessages: { title: "May this be done?", message: String(input.text) },
              }),
            }
          : {}),
        invoke({ input: { text } }) {
          const [folder] = vscode.workspace.workspaceFolders;
          appendFileSync(path.join(folder.uri.fsPath, "tools.log"), `${name} ${text}\n`);
          return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(`${name} was told ${text}`)]);
        },
      }),
    );
};
