/**
 * Client capabilities sent to language servers (LSP 3.17, `ClientCapabilities`): reading and previews, no file changes.
 */
import type { JsonObject } from "../../rpc/json";

const SYMBOLS = { symbolKind: { valueSet: Array.from({ length: 26 }, (_, i) => i + 1) } };

export const CLIENT_CAPABILITIES: JsonObject = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: {},
    definition: { linkSupport: true },
    references: {},
    hover: { contentFormat: ["markdown", "plaintext"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, ...SYMBOLS },
    rename: { prepareSupport: true },
    formatting: {},
    rangeFormatting: {},
    codeAction: {
      codeActionLiteralSupport: {
        codeActionKind: {
          valueSet: [
            "",
            "quickfix",
            "refactor",
            "refactor.extract",
            "refactor.inline",
            "refactor.rewrite",
            "source",
            "source.organizeImports",
            "source.fixAll",
          ],
        },
      },
      isPreferredSupport: true,
      disabledSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
    },
  },
  workspace: {
    workspaceFolders: true,
    configuration: true,
    symbol: SYMBOLS,
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
  },
  window: { workDoneProgress: true },
  experimental: { serverStatusNotification: true },
};
