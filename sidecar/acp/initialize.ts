/**
 * `initialize`, of both versions of ACP. An agent that is offered v2 gets one request that is right in both (its
 * version's fields are read, the others ignored), so that one of v1 needs no second one. Pure.
 */
import { offeringIde } from "../../src/protocol/ide-read";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { authMethodsIn, type AuthMethod } from "./sign-in-methods";

/** Of the protocol. 2 is a draft. */
export type AcpVersion = 1 | 2;

/** What an agent said of itself. */
export interface Introduction {
  readonly version: AcpVersion;
  readonly capabilities: JsonObject;
  /** The program's own name; empty when it does not say. */
  readonly name: string;
  /** Its version, likewise. */
  readonly programVersion: string;
  readonly authMethods: readonly AuthMethod[];
  /** It can be told to forget its user. */
  readonly canLogOut: boolean;
}

type Said = Pick<Introduction, "version" | "capabilities">;

/**
 * `lm`: the client is VS Code's own chat, where a person can be asked for a permission and nothing else, and the
 * agent's hands are its own.
 */
export type AgentRole = "lm";

const CONTROLS: JsonObject = { session: { configOptions: { boolean: {} }, notices: {}, compaction: {} } };
const FORMS: JsonObject = { elicitation: { form: {}, url: {} } };
/** Without a word here an agent does not use it (schema v1, `ClientCapabilities`). */
const CAPABILITIES: JsonObject = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  ...CONTROLS,
  ...FORMS,
};

/** The parameters of `initialize`. `isIde`: whoever stands behind the client answers IDE operations. */
export function introduction(offered: AcpVersion, ourVersion: string, role?: AgentRole, isIde = false): JsonObject {
  const info = { name: "symposium", title: "Symposium for VS Code", version: ourVersion };
  const [first, second] = role === "lm" ? [{}, {}] : [CAPABILITIES, FORMS];
  const params = {
    protocolVersion: offered,
    clientCapabilities: first,
    clientInfo: info,
    ...(offered === 2 ? { capabilities: second, info } : {}),
  };
  return isIde ? offeringIde(params) : params;
}

/** `undefined`: the agent chose a version that it was not offered. */
export function introductionOf(answer: unknown, offered: AcpVersion): Introduction | undefined {
  const { protocolVersion, agentCapabilities, agentInfo, capabilities, info } = objectOr(answer);
  const authMethods = authMethodsIn(answer);
  if (protocolVersion === 1)
    return {
      version: 1,
      capabilities: objectOr(agentCapabilities),
      ...programIn(agentInfo),
      authMethods,
      canLogOut: isYes(objectOr(objectOr(agentCapabilities).auth).logout),
    };
  // In v2 whoever names a way to sign in, of whatever kind, can also forget (schema v2, `LogoutAuthRequest`).
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

function programIn(info: unknown): Pick<Introduction, "name" | "programVersion"> {
  const { name, version } = objectOr(info);
  return { name: stringOr(name, ""), programVersion: stringOr(version, "") };
}

/** In v2 every agent with sessions can close them. */
export function canClose({ version, capabilities }: Said): boolean {
  return version === 2 || isObject(objectOr(capabilities.sessionCapabilities).close);
}

export interface AgentCapabilities {
  /** Sessions of earlier processes: with all that was said in them told again, or without. */
  readonly load: boolean;
  readonly resume: boolean;
  /** A session that begins with what was said in another one. */
  readonly fork: boolean;
  /** In prompts. */
  readonly images: boolean;
  readonly embedded: boolean;
}

/** In v2 every agent with sessions can resume them, and `load` is no more. */
export function capabilitiesOf(agent: Said): AgentCapabilities {
  const { version, capabilities } = agent,
    sessions = objectOr(version === 2 ? capabilities.session : capabilities.sessionCapabilities);
  return {
    load: version === 1 && capabilities.loadSession === true,
    resume: version === 2 || isYes(sessions.resume),
    fork: isYes(sessions.fork),
    ...acceptedBy(agent),
  };
}

/** What the agent takes in a prompt besides text and links; v1 says so with booleans, v2 with objects. */
export function acceptedBy({ version, capabilities }: Said): { readonly images: boolean; readonly embedded: boolean } {
  const { image, embeddedContext } = objectOr(
    version === 2 ? objectOr(capabilities.session).prompt : capabilities.promptCapabilities,
  );
  return { images: isYes(image), embedded: isYes(embeddedContext) };
}

function isYes(value: unknown): boolean {
  return value === true || isObject(value);
}
