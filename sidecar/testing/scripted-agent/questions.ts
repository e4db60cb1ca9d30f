/** What the scripted agent asks of the person in front of its client, and takes back. */
import { objectOr, type JsonObject } from "../../rpc/json";
import { permissionOptions, toolCallOf, type Fields } from "./fields";
import type { Wire } from "./wire";

export class Questions {
  /** Ids of those that wait for their answer. */
  readonly #open = new Set<number>();

  constructor(
    private readonly wire: Wire,
    private readonly sessionId: string,
  ) {}

  /** For permission; `chose OPTION` or `cancelled`. */
  async ask(id: string, fields: Fields, lastTerminal: string): Promise<string> {
    const kinds = fields.find(([name]) => name === "options")?.[1] ?? "allow_once,reject_once";
    const call = toolCallOf(
      fields.filter(([name]) => name !== "options" && name !== "no-title"),
      lastTerminal,
    );
    const title = fields.some(([name]) => name === "no-title") ? {} : { title: call.title ?? id };
    return await this.askAbout({ toolCall: { toolCallId: id, ...call, ...title }, options: permissionOptions(kinds) });
  }

  /** `params` of a permission question; without `options`, to allow or reject once. */
  async askAbout(params: JsonObject): Promise<string> {
    const { outcome } = objectOr(
      await this.#request("session/request_permission", {
        options: permissionOptions("allow_once,reject_once"),
        ...params,
      }),
    );
    const { outcome: how, optionId } = objectOr(outcome);
    return how === "selected" ? `chose ${String(optionId)}` : String(how);
  }

  /** To fill in a form, or to visit a page; `accept`, with the form's values, or what else was done. */
  async elicit(params: JsonObject): Promise<string> {
    const { action, content } = objectOr(await this.#request("elicitation/create", params));
    return content === undefined ? String(action) : `${String(action)} ${JSON.stringify(content)}`;
  }

  /** Takes back all that are open. */
  async withdraw(): Promise<void> {
    for (const requestId of this.#open) await this.wire.notify("$/cancel_request", { requestId });
  }

  async #request(method: string, params: JsonObject): Promise<unknown> {
    let asked: number | undefined;
    try {
      return await this.wire.request(method, { sessionId: this.sessionId, ...params }, id => {
        this.#open.add((asked = id));
      });
    } finally {
      if (asked !== undefined) this.#open.delete(asked);
    }
  }
}
