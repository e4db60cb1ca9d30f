/** What a model's user reads when a request comes to nothing. VS Code prints an error's stack into the chat, so that the sentence is all there is of it. */
import { NOT_TRUSTED } from "../errors";

/** As `vscode.LanguageModelError`: errors of its kind keep their code on the way to who asked. */
export interface LmErrors {
  NotFound(message?: string): Error;
  NoPermissions(message?: string): Error;
}

export function sentence(error: Error): Error {
  error.stack = error.message;
  return error;
}

export function noSuchAgent(errors: LmErrors, modelId: string): Error {
  return sentence(errors.NotFound(`The agent behind “${modelId}” is not configured any more. Choose another model.`));
}

export function cannotStart(errors: LmErrors, name: string): Error {
  return sentence(errors.NotFound(`${name} has no command that can be started. Look at symposium.agents in the settings.`));
}

export function notTrusted(errors: LmErrors): Error { return sentence(errors.NoPermissions(NOT_TRUSTED)); }

/** The sidecar's own sentence, or why there is none. */
export function failed(error: unknown): Error {
  return sentence(new Error(error instanceof Error ? error.message : String(error)));
}
