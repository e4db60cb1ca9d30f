/**
 * Session options of the scripted agent. Modes are always present. `--models` adds models in their earlier form.
 * `--options` adds config options (ACP schema v1, `SessionConfigOption`), one of which depends on another. With
 * `--plan`, the modes include a planning mode, and the session starts in the mode `build`.
 */
import type { JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import type { Flags } from "./flags";

const MODES = [
  { id: "ask", name: "Ask" },
  { id: "code", name: "Code", description: "Writes code" },
];
const PLANNING = [
  { id: "build", name: "Build" },
  { id: "plan", name: "Plan" },
  { id: "read-only", name: "Read Only" },
];
const MODELS = [
  { modelId: "small", name: "Small" },
  { modelId: "large", name: "Large", description: "Slow and clever" },
];

type Value = string | boolean;

export class SessionOptions {
  readonly #values: Map<string, Value>;
  readonly #flags: Pick<Flags, "options" | "models" | "plan">;
  readonly #modes: typeof MODES;

  constructor(flags: Pick<Flags, "options" | "models" | "plan">) {
    this.#flags = flags;
    this.#modes = flags.plan ? PLANNING : MODES;
    this.#values = new Map([["mode", flags.plan ? "build" : "ask"]]);
    if (flags.options || flags.models) this.#values.set("model", "small");
    if (flags.options) this.#values.set("effort", "low").set("fast", false);
  }

  /** Members of the response to `session/new`. */
  get offered(): JsonObject {
    return {
      modes: { currentModeId: this.#values.get("mode"), availableModes: this.#modes },
      ...(this.#flags.models ? { models: { currentModelId: this.#values.get("model"), availableModels: MODELS } } : {}),
      ...(this.#flags.options ? { configOptions: this.configOptions } : {}),
    };
  }

  get configOptions(): readonly JsonObject[] {
    const now = (id: string): JsonObject => ({ id, currentValue: this.#values.get(id) });
    return [
      {
        ...now("mode"),
        name: "Mode",
        category: "mode",
        type: "select",
        options: this.#modes.map(({ id, name }) => ({ value: id, name })),
      },
      {
        ...now("model"),
        name: "Model",
        category: "model",
        type: "select",
        options: [
          {
            group: "quick",
            name: "Quick",
            options: [{ value: "small", name: "Small", description: "For small things" }],
          },
          {
            group: "clever",
            name: "Clever",
            options: [
              { value: "large", name: "Large" },
              { value: "locked", name: "Locked" },
            ],
          },
        ],
      },
      {
        ...now("effort"),
        name: "Effort",
        description: "How long it thinks",
        category: "thought_level",
        type: "select",
        options: this.#efforts.map(value => ({ value, name: value })),
      },
      { ...now("fast"), name: "Fast", category: "model_config", type: "boolean" },
      { id: "later", name: "Of a type that comes later", type: "dial", currentValue: 3 },
    ];
  }

  /**
   * Sets an option for the client or, with the step `option`, for the agent. Throws for unknown options, invalid values
   * and locked values.
   */
  set(id: unknown, value: unknown): void {
    if (typeof id !== "string" || !this.#values.has(id) || typeof value !== typeof this.#values.get(id))
      throw new RpcError(RpcCode.invalidParams, `no option ${String(id)} with the value ${String(value)}`);
    if (value === "locked") throw new RpcError(RpcCode.invalidParams, "This model is locked.");
    if (typeof value === "string" || typeof value === "boolean") this.#values.set(id, value);
    // The small model has only one effort level. The large model starts with high effort.
    if (id === "model" && this.#flags.options) this.#values.set("effort", value === "large" ? "high" : "low");
  }

  get described(): string {
    return [...this.#values].map(([id, value]) => `${id}=${String(value)}`).join(" ");
  }

  get #efforts(): readonly string[] {
    return this.#values.get("model") === "large" ? ["low", "high", "highest"] : ["low"];
  }
}
