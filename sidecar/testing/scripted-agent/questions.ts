/** Permission requests and elicitations of the scripted agent, and their cancellation. */
import { objectOr, type JsonObject } from "../../rpc/json";
import { permissionOptions, toolCallOf, type Fields } from "./fields";
import type { Wire } from "./wire";

export class Questions {
  /** Ids of open requests. */
  readonly #open = new Set<number>();

  constructor(
    private readonly wire: Wire,
    private readonly sessionId: string,
  ) {}

  /** Requests permission. Resolves with `chose OPTION` or `cancelled`. */
  async ask(id: string, fields: Fields, lastTerminal: string): Promise<string> {
    const kinds = fields.find(([name]) => name === "options")?.[1] ?? "allow_once,reject_once";
    const call = toolCallOf(
      fields.filter(([name]) => name !== "options" && name !== "no-title"),
      lastTerminal,
    );
    const title = fields.some(([name]) => name === "no-title") ? {} : { title: call.title ?? id };
    return await this.askAbout({ toolCall: { toolCallId: id, ...call, ...title }, options: permissionOptions(kinds) });
  }

  /** `params`: params of a permission request. Default `options`: allow once and reject once. */
  async askAbout(params: JsonObject): Promise<string> {
    const { outcome } = objectOr(
      await this.#request("session/request_permission", {
        options: permissionOptions("allow_once,reject_once"),
        ...params,
      }),
    );
    const { outcome: kind, optionId } = objectOr(outcome);
    return kind === "selected" ? `chose ${String(optionId)}` : String(kind);
  }

  /** Requests a form or a visit to a page. Resolves with the action, followed by the form's values if there are any. */
  async elicit(params: JsonObject): Promise<string> {
    const { action, content } = objectOr(await this.#request("elicitation/create", params));
    return content === undefined ? String(action) : `${String(action)} ${JSON.stringify(content)}`;
  }

  /** Cancels all open requests. */
  async withdraw(): Promise<void> {
    for (const requestId of this.#open) await this.wire.notify("$/cancel_request", { requestId });
  }

  async #request(method: string, params: JsonObject): Promise<unknown> {
    let openId: number | undefined;
    try {
      return await this.wire.request(method, { sessionId: this.sessionId, ...params }, id => {
        this.#open.add((openId = id));
      });
    } finally {
      if (openId !== undefined) this.#open.delete(openId);
    }
  }
}
