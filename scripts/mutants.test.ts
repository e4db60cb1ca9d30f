/** The mutations of `npm run mutants`, on a toy module. */
import { deepEqual, equal } from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { transformSync } from "esbuild";
import { mutated, mutationsIn, type Mutation } from "./mutations.mjs";

const TOY = `
interface Deps { readonly isOpen: true; readonly log: { warn(text: string): void } }
/** Adds positive numbers to the list and returns its size. */
export function add(list: number[], n: number, { log }: Deps): number {
  if (n <= 0) {
    return -1;
  }
  if (list.includes(n)) log.warn("twice");
  log.warn("added");
  list.push(n);
  return list.length;
}
`;

/** The toy module with a mutation. */
function toy(mutation: Mutation): (list: number[], n: number, deps: object) => number {
  const module = { exports: {} as { add(list: number[], n: number, deps: object): number } },
    { code } = transformSync(mutated(TOY, mutation), { loader: "ts", format: "cjs" });
  runInNewContext(code, { module });
  return module.exports.add;
}

suite("mutants", () => {
  test("remove guards, flip comparisons, negate booleans and delete statements, but no types or log lines", () =>
    deepEqual(
      mutationsIn(TOY).map(({ line, kind, was, replacement }) => [line, kind, was, replacement]),
      [
        [5, "guard removed", "n <= 0", "false"],
        [5, "comparison flipped", "<=", ">"],
        [8, "boolean negated", "list.includes(n)", "!list.includes(n)"],
        [10, "statement deleted", "list.push(n);", ";"],
      ],
    ));

  test("are killed by a test of the changed behavior and survive without one", () => {
    const passes = (mutation: Mutation): boolean => {
      const add = toy(mutation),
        warnings: string[] = [],
        deps = { log: { warn: (text: string) => warnings.push(text) } };
      return add([], 0, deps) === -1 && add([1], 2, deps) === 2;
    };
    deepEqual(
      mutationsIn(TOY)
        .filter(passes)
        .map(({ was }) => was),
      ["list.includes(n)"],
    );
  });

  test("ignore the call of a super constructor", () =>
    equal(mutationsIn("class A extends B { constructor() { super(1); } }").length, 0));
});
