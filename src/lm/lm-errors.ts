/**
 * Sentences for a model's user when a request fails. VS Code prints an error's message into the chat, and behind it the
 * stack: an error without a stack is printed once.
 */
import { NOT_TRUSTED } from "../errors";

/** As `vscode.LanguageModelError`: errors of its kind keep their code on the way to who asked. */
export interface LmErrors {
  NotFound(message?: string): Error;
  NoPermissions(message?: string): Error;
}

export function sentence(error: Error): Error {
  error.stack = "";
  return error;
}

export function noSuchAgent(errors: LmErrors, modelId: string): Error {
  return sentence(errors.NotFound(`The agent behind “${modelId}” is not configured any more. Choose another model.`));
}

export function cannotStart(errors: LmErrors, name: string): Error {
  return sentence(
    errors.NotFound(`${name} has no command that can be started. Look at symposium.agents in the settings.`),
  );
}

export function notTrusted(errors: LmErrors): Error {
  return sentence(errors.NoPermissions(NOT_TRUSTED));
}

/** The sidecar's own sentence, or why there is none. */
export function failed(error: unknown): Error {
  return sentence(new Error(error instanceof Error ? error.message : String(error)));
}
