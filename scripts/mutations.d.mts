export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly line: number;
  readonly kind: "guard removed" | "comparison flipped" | "boolean negated" | "statement deleted";
  /** The replaced source. */
  readonly was: string;
}
export declare function mutationsIn(source: string): readonly Mutation[];
export declare function mutated(source: string, mutation: Mutation): string;
