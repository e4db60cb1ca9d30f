/** Chooses the symbols that a name in an answer means. Pure. */

export interface NamedSymbol {
  readonly name: string;
  /** The name of the class or module around it; may be empty. */
  readonly container: string;
}

/**
 * Symbols with exactly this name. `Class.method` and `Type::function` prefer those whose container has the name before
 * the last separator.
 */
export function symbolsNamed<T extends NamedSymbol>(name: string, all: readonly T[]): readonly T[] {
  const [own = "", container] = name.split(/\.|::|#/).reverse(),
    named = all.filter(symbol => plain(symbol.name) === own),
    contained = named.filter(
      symbol => container !== undefined && symbol.container.split(/\.|::|#/).includes(container),
    );
  return contained.length > 0 ? contained : named;
}

/** Some servers add the parameters. */
const plain = (name: string): string => name.replace(/\(.*$/s, "");
