/** The conversions by which the bytes of a file on disk differ from those that git stores (gitattributes(5)). Pure. */

/**
 * `none`: the bytes are equal, unless the settings have changed since the checkout. `size`: the sizes differ if the
 * bytes do, as with line endings. `bytes`: the bytes can differ at an equal size.
 */
export type Conversion = "none" | "size" | "bytes";

/** The conversions that a text of attributes can cause. */
export function conversionIn(attributes: string): Conversion {
  if (/^\s*\[attr\]|\b(?:filter|ident|working-tree-encoding)\b/m.test(attributes)) return "bytes";
  return /(?:^|\s)(?:text|crlf|eol)\b/m.test(attributes) ? "size" : "none";
}

/** The conversions that the user's configuration can cause. */
export function conversionOf(config: ReadonlyMap<string, string>): Conversion {
  return /^(?:false|no|off|0|)$/i.test(config.get("core.autocrlf") ?? "false") ? "none" : "size";
}

export function strongest(conversions: readonly Conversion[]): Conversion {
  return (["bytes", "size"] as const).find(each => conversions.includes(each)) ?? "none";
}
