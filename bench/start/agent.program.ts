/** The smallest agent: answers `initialize`, and exits with its input. */
process.stdin.once("data", line => {
  const { id } = JSON.parse(String(line)) as { readonly id: unknown };
  const result = { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
