/**
 * The initialize handshake of both versions of ACP. A request that offers v2 contains the fields of both versions, and
 * the agent ignores those of the other. An agent with v1 therefore requires no second request. Pure.
 */
import { offeringIde } from "../../src/protocol/ide/ide-capability";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import type { ClientCapabilities } from "./schema";
import { authMethodsIn, type AuthMethod } from "./sign-in-methods";

/** The version of ACP. 2 is a draft. */
export type AcpVersion = 1 | 2;

/** The agent's `initialize` result. */
export interface InitializeResult {
  readonly version: AcpVersion;
  readonly capabilities: JsonObject;
  /** The program's name; empty if unknown. */
  readonly name: string;
  /** The program's version; empty if unknown. */
  readonly programVersion: string;
  readonly authMethods: readonly AuthMethod[];
  /** Whether the agent supports signing out. */
  readonly canLogOut: boolean;
}

type NegotiatedCapabilities = Pick<InitializeResult, "version" | "capabilities">;

/**
 * `lm`: the client is VS Code's own chat. The only interaction with the user is a permission request, and the agent
 * uses its own tools.
 */
export type AgentRole = "lm";

const CONTROLS = {
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
} satisfies ClientCapabilities;
const FORMS = { elicitation: { form: {}, url: {} } } satisfies ClientCapabilities;
/** An agent does not use a capability that is missing here (schema v1, `ClientCapabilities`). */
const CAPABILITIES: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  ...CONTROLS,
  ...FORMS,
};

/** The params of `initialize`. `isIde`: the client answers IDE operations. */
export function initializeParams(offered: AcpVersion, ourVersion: string, role?: AgentRole, isIde = false): JsonObject {
  const info = { name: "symposium", title: "Symposium for VS Code", version: ourVersion };
  const [v1, v2] = role === "lm" ? [{}, {}] : [CAPABILITIES, FORMS];
  const params = {
    protocolVersion: offered,
    clientCapabilities: v1,
    clientInfo: info,
    ...(offered === 2 ? { capabilities: v2, info } : {}),
  };
  return isIde ? offeringIde(params) : params;
}

/** `undefined` if the agent selected a version that was not offered. */
export function initializeResultOf(answer: unknown, offered: AcpVersion): InitializeResult | undefined {
  const { protocolVersion, agentCapabilities, agentInfo, capabilities, info } = objectOr(answer);
  const authMethods = authMethodsIn(answer);
  if (protocolVersion === 1)
    return {
      version: 1,
      capabilities: objectOr(agentCapabilities),
      ...programIn(agentInfo),
      authMethods,
      canLogOut: isSupported(objectOr(objectOr(agentCapabilities).auth).logout),
    };
  // In v2 an agent with a sign-in method of any kind also supports signing out (schema v2, `LogoutAuthRequest`).
  return protocolVersion === 2 && offered === 2
    ? {
        version: 2,
        capabilities: objectOr(capabilities),
        ...programIn(info),
        authMethods,
        canLogOut: arrayOr(objectOr(answer).authMethods).length > 0,
      }
    : undefined;
}

function programIn(info: unknown): Pick<InitializeResult, "name" | "programVersion"> {
  const { name, version } = objectOr(info);
  return { name: stringOr(name, ""), programVersion: stringOr(version, "") };
}

/** In v2 every agent with sessions can close them. */
export function canClose({ version, capabilities }: NegotiatedCapabilities): boolean {
  return version === 2 || isObject(objectOr(capabilities.sessionCapabilities).close);
}

export interface AgentCapabilities {
  /** Support for sessions of earlier processes: `load` replays the conversation, `resume` does not. */
  readonly load: boolean;
  readonly resume: boolean;
  /** A session that starts with the conversation of another one. */
  readonly fork: boolean;
  /** Requests about sessions that need not be open. */
  readonly list: boolean;
  readonly delete: boolean;
  readonly archive: boolean;
  readonly setTitle: boolean;
  /** Supported in prompts. */
  readonly images: boolean;
  readonly embedded: boolean;
}

/** In v2 every agent with sessions can list and resume them, and `load` no longer exists. */
export function capabilitiesOf(agent: NegotiatedCapabilities): AgentCapabilities {
  const { version, capabilities } = agent,
    sessions = objectOr(version === 2 ? capabilities.session : capabilities.sessionCapabilities);
  return {
    load: version === 1 && capabilities.loadSession === true,
    resume: version === 2 || isSupported(sessions.resume),
    fork: isSupported(sessions.fork),
    list: version === 2 || isSupported(sessions.list),
    delete: isSupported(sessions.delete),
    archive: isSupported(sessions.archive),
    setTitle: isSupported(sessions.title),
    ...acceptedBy(agent),
  };
}

/** The content that the agent accepts in a prompt besides text and links. v1 uses booleans, v2 objects. */
export function acceptedBy({ version, capabilities }: NegotiatedCapabilities): {
  readonly images: boolean;
  readonly embedded: boolean;
} {
  const { image, embeddedContext } = objectOr(
    version === 2 ? objectOr(capabilities.session).prompt : capabilities.promptCapabilities,
  );
  return { images: isSupported(image), embedded: isSupported(embeddedContext) };
}

function isSupported(value: unknown): boolean {
  return value === true || isObject(value);
}
