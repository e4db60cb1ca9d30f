/**
 * Error messages for the user of a model when a request fails. VS Code prints an error's message and its stack into the
 * chat, so these errors have no stack.
 */
import * as l10n from "@vscode/l10n";
import { errorMessage } from "../protocol/wire/errors";
import { NOT_TRUSTED } from "../errors";

/** Compatible with `vscode.LanguageModelError`, whose errors keep their code for the caller. */
export interface LmErrors {
  NotFound(message?: string): Error;
  NoPermissions(message?: string): Error;
}

export function sentence(error: Error): Error {
  error.stack = "";
  return error;
}

export function noSuchAgent(errors: LmErrors, modelId: string): Error {
  return sentence(errors.NotFound(l10n.t`The agent of “${modelId}” is no longer configured. Choose another model.`));
}

export function cannotStart(errors: LmErrors, name: string): Error {
  return sentence(errors.NotFound(l10n.t`${name} has no start command. Check symposium.agents in the settings.`));
}

export function notTrusted(errors: LmErrors): Error {
  return sentence(errors.NoPermissions(NOT_TRUSTED));
}

/** Converts any error to an error without a stack. */
export function failed(error: unknown): Error {
  return sentence(new Error(errorMessage(error)));
}
