/** The capability of `ide.ts` in `initialize`. Pure. */
import { isObject, objectOr, type Fields } from "../wire/json";

/**
 * In `clientCapabilities._meta` of `initialize`: `{"symposium.dev": {"ide_operations": true}}`, or an object in place
 * of `true`.
 */
export const IDE_CAPABILITY = { namespace: "symposium.dev", name: "ide_operations" } as const;

/** Whether a client advertises operations in `initialize`, in either version of ACP. */
export function offersIde(params: unknown): boolean {
  const { clientCapabilities, capabilities } = objectOr(params);
  return [clientCapabilities, capabilities].some(each =>
    isEnabled(objectOr(objectOr(objectOr(each)["_meta"])[IDE_CAPABILITY.namespace])[IDE_CAPABILITY.name]),
  );
}

/** The params of `initialize` with the capability added. */
export function offeringIde(params: unknown): Fields {
  const given = objectOr(params),
    capabilities = objectOr(given["clientCapabilities"]),
    meta = objectOr(capabilities["_meta"]),
    ours = objectOr(meta[IDE_CAPABILITY.namespace]);
  return {
    ...given,
    clientCapabilities: {
      ...capabilities,
      _meta: { ...meta, [IDE_CAPABILITY.namespace]: { ...ours, [IDE_CAPABILITY.name]: true } },
    },
  };
}

const isEnabled = (value: unknown): boolean => value === true || isObject(value);
