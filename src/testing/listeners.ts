import type { SidecarListeners } from "../sidecar/supervisor";

type Notes = Exclude<
  keyof SidecarListeners,
  | "editor/readTextFile"
  | "editor/writeTextFile"
  | "editor/runInTerminal"
  | "editor/ideOperation"
  | "secrets/environment"
  | "secrets/keepEnvironment"
  | "lm/persistedSessions"
>;

/**
 * Handlers for messages that a test ignores. Each notification is passed to `onEvent`; each request gets an empty
 * answer.
 */
export function listeners(onEvent: (method: Notes) => void = () => undefined): SidecarListeners {
  const note = (method: Notes) => () => onEvent(method);
  return {
    "chat/event": note("chat/event"),
    "chat/snapshot": note("chat/snapshot"),
    "chat/attention": note("chat/attention"),
    "settings/setBypass": note("settings/setBypass"),
    "settings/setControl": note("settings/setControl"),
    "editor/openPage": note("editor/openPage"),
    "editor/showWarning": note("editor/showWarning"),
    log: note("log"),
    "lm/responsePart": note("lm/responsePart"),
    "lm/responseComplete": note("lm/responseComplete"),
    "lm/agentFacts": note("lm/agentFacts"),
    "lm/keepSession": note("lm/keepSession"),
    "lm/forgetSessions": note("lm/forgetSessions"),
    "agents/changed": note("agents/changed"),
    "agents/installing": note("agents/installing"),
    "sessions/changed": note("sessions/changed"),
    "review/changed": note("review/changed"),
    "review/progress": note("review/progress"),
    "editor/readTextFile": async () => ({ text: "" }),
    "editor/writeTextFile": async () => ({}),
    "lm/persistedSessions": async () => ({ sessions: [] }),
    "editor/runInTerminal": async () => ({}),
    "editor/ideOperation": async () => ({ kind: "hover", text: "" }),
    "secrets/environment": async () => ({ env: {} }),
    "secrets/keepEnvironment": async () => ({}),
  };
}
