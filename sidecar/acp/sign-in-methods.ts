/**
 * The sign-in methods of an agent: `authMethods` of its `initialize` result (ACP schema, `AuthMethod`), and their
 * forms. Pure.
 */
import * as l10n from "@vscode/l10n";
import type { Field, FormAsk } from "../../src/protocol/chat/elicitation";
import { arrayOr, isObject, objectOr, stringOr } from "../rpc/json";

export type AuthMethod = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
} /** The agent performs the sign-in, for example in a browser. */ & (
  | { readonly kind: "agent" }
  /**
   * The agent's own program performs the sign-in in a terminal. `args` are appended to its start arguments; `env`
   * overrides its environment variables.
   */
  | { readonly kind: "terminal"; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  /** The agent reads the variables when it starts. */
  | { readonly kind: "environment"; readonly variables: readonly AuthVariable[] }
);

export interface AuthVariable {
  readonly name: string;
  readonly label: string;
  readonly isSecret: boolean;
  readonly isOptional: boolean;
}

/** A method without a type is performed by the agent. Methods of unknown types are omitted. */
export function authMethodsIn(initialized: unknown): readonly AuthMethod[] {
  return arrayOr(objectOr(initialized).authMethods)
    .filter(isObject)
    .flatMap((method): readonly AuthMethod[] => {
      const { type, args, env } = method,
        id = stringOr(method.id, stringOr(method.methodId, ""));
      if (id === "") return [];
      const named = {
        id,
        name: stringOr(method.name, id),
        ...(typeof method.description === "string" && method.description !== ""
          ? { description: method.description }
          : {}),
      };
      switch (type) {
        case undefined:
        case "agent":
          return [{ ...named, kind: "agent" }];
        case "terminal":
          return [
            {
              ...named,
              kind: "terminal",
              args: arrayOr(args).filter(arg => typeof arg === "string"),
              env: stringValues(env),
            },
          ];
        case "env_var": {
          const variables = variablesOf(method);
          return variables.length === 0 ? [] : [{ ...named, kind: "environment", variables }];
        }
        default:
          return [];
      }
    });
}

/**
 * Reads `vars`, or the single `varName` of the first draft. Rejects variables that affect how programs are found or
 * loaded.
 */
function variablesOf({ vars, varName }: Readonly<Record<string, unknown>>): readonly AuthVariable[] {
  const given = Array.isArray(vars) ? vars.filter(isObject) : [{ name: varName }];
  return given.flatMap((item: Readonly<Record<string, unknown>>): readonly AuthVariable[] => {
    const { name, label, secret, optional } = item;
    return typeof name === "string" && /^[A-Za-z_]\w*$/.test(name) && !REJECTED_VARIABLES.test(name)
      ? [{ name, label: stringOr(label, name), isSecret: secret !== false, isOptional: optional === true }]
      : [];
  });
}

const REJECTED_VARIABLES = /^(PATH|HOME|SHELL|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON(PATH|HOME|STARTUP)|BASH_ENV|ENV)$/i;

function stringValues(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOr(value)).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

export interface Form {
  readonly message: string;
  readonly ask: FormAsk;
}

const METHOD = "method";

/** A form that selects the method. A single method is only confirmed. */
export function methodForm(methods: readonly AuthMethod[]): Form {
  const [only, ...others] = methods;
  const options = methods.map(({ id, name, description }) => ({
    value: id,
    title: name,
    ...(description === undefined ? {} : { description }),
  }));
  const waits = l10n.t("Prompts are sent after you sign in.");
  if (others.length > 0)
    return {
      message: waits,
      ask: {
        mode: "form",
        purpose: "signIn",
        fields: [
          {
            type: "choice",
            name: METHOD,
            title: l10n.t("How"),
            required: true,
            options,
            ...(only ? { initial: only.id } : {}),
          },
        ],
      },
    };
  const how = only ? [`${only.name}${only.description === undefined ? "." : `: ${only.description}`}`] : [];
  return { message: [...how, waits].join("\n\n"), ask: { mode: "form", purpose: "signIn", fields: [] } };
}

/** The method selected in `methodForm`. */
export function chosenMethod(methods: readonly AuthMethod[], content: unknown): AuthMethod | undefined {
  if (methods.length === 1) return methods[0];
  const { [METHOD]: id } = objectOr(content);
  return methods.find(method => method.id === id);
}

export function variablesForm(
  agent: string,
  { name, variables }: Extract<AuthMethod, { readonly kind: "environment" }>,
): Form {
  const fields = variables.map(
    (variable): Field => ({
      type: "text",
      name: variable.name,
      title: variable.label,
      required: !variable.isOptional,
      ...(variable.isSecret ? { format: SECRET } : {}),
    }),
  );
  return {
    message: l10n.t`${name}. Your input is stored in your editor's secret storage and passed only to ${agent}, in its environment.`,
    ask: { mode: "form", purpose: "signIn", fields },
  };
}

/** Format of a text field whose value is hidden. */
export const SECRET = "password";

export function variablesIn(
  { variables }: Extract<AuthMethod, { readonly kind: "environment" }>,
  content: unknown,
): Readonly<Record<string, string>> {
  const values = stringValues(content);
  return Object.fromEntries(
    variables.flatMap(({ name }) => {
      const value = values[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}
