export {
  allowOnce,
  lastExchange,
  openChat,
  promptInput,
  readCards,
  rejectOnce,
  sending,
  sendPrompt,
  turnEnded,
  turnState,
} from "./chat.mjs";
export { until } from "./changes.mjs";
export { startServer } from "./server.mjs";
export { boundActions, launchBrowser, openWorkbench, runCommand, webviewFrame } from "./workbench.mjs";
export { census, leftovers } from "../processes-by-environment.mjs";
