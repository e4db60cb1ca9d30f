// Mutations of a TypeScript module: small changes that its tests must detect. Types, texts and log lines have none.
import ts from "typescript";

const FLIPPED = {
  "===": "!==",
  "!==": "===",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
  "&&": "||",
  "||": "&&",
};
/** Methods that return a boolean. */
const PREDICATES = new Set(["every", "has", "some", "includes", "startsWith", "endsWith", "test"]);

/**
 * The possible mutations, in the order of the source. A mutation replaces the characters from `start` to `end` by
 * `replacement`.
 */
export function mutationsIn(source) {
  const file = ts.createSourceFile("module.ts", source, ts.ScriptTarget.Latest, true),
    found = [];
  const add = (node, kind, replacement, { start = node.getStart(file), end = node.end } = {}) => {
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ start, end, replacement, line, kind, was: source.slice(start, end).replaceAll(/\s+/g, " ") });
  };
  const visit = node => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || isLogging(node)) return;
    if (ts.isIfStatement(node) && node.elseStatement === undefined && isExit(node.thenStatement))
      add(node.expression, "guard removed", "false");
    else if (ts.isBinaryExpression(node)) {
      const flipped = FLIPPED[node.operatorToken.getText(file)];
      if (flipped !== undefined) add(node.operatorToken, "comparison flipped", flipped);
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "boolean negated", "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "boolean negated", "true");
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, "boolean negated", node.operand.getText(file));
    else if (isPredicateCall(node)) add(node, "boolean negated", `!${node.getText(file)}`);
    else if (ts.isExpressionStatement(node) && isEffect(node.expression)) add(node, "statement deleted", ";");
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.sort((a, b) => a.start - b.start);
}

export const mutated = (source, { start, end, replacement }) =>
  source.slice(0, start) + replacement + source.slice(end);

/** Whether the statement only exits the function or the loop. */
function isExit(statement) {
  if (ts.isBlock(statement)) return statement.statements.length === 1 && isExit(statement.statements[0]);
  return (
    ts.isReturnStatement(statement) ||
    ts.isThrowStatement(statement) ||
    ts.isContinueStatement(statement) ||
    ts.isBreakStatement(statement)
  );
}

/** A call such as `this.#deps.log.warn(…)`. */
const isLogging = node =>
  ts.isExpressionStatement(node) &&
  ts.isCallExpression(node.expression) &&
  /(^|[.#])log\.\w+$/.test(node.expression.expression.getText());

/** Excludes a call after `!`, because the removal of `!` is the same mutation. */
const isPredicateCall = node =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  PREDICATES.has(node.expression.name.text) &&
  node.questionDotToken === undefined &&
  node.expression.questionDotToken === undefined &&
  !ts.isPrefixUnaryExpression(node.parent) &&
  !ts.isExpressionStatement(node.parent) &&
  !ts.isPropertyAccessExpression(node.parent);

/** The call of the super constructor cannot be deleted. */
const isEffect = expression =>
  (ts.isCallExpression(expression) && expression.expression.kind !== ts.SyntaxKind.SuperKeyword) ||
  ts.isAwaitExpression(expression) ||
  ts.isPostfixUnaryExpression(expression) ||
  (ts.isBinaryExpression(expression) &&
    /^(?:[+\-*/%&|^?]|\|\||&&|\?\?|<<|>>)?=$/.test(expression.operatorToken.getText()));
