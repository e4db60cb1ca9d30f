import { deepEqual, doesNotThrow, throws } from "node:assert/strict";
import { RpcCode } from "../rpc/message";
import { assertStatelessMeta, McpCode, Meta, STATELESS_REVISION, withMeta, withoutMeta } from "./revision";

const META = { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} };

suite("stateless revision of MCP", () => {
  test("requires the version and the client's capabilities in _meta of each request", () => {
    doesNotThrow(() => assertStatelessMeta({ _meta: META }));
    for (const params of [undefined, {}, { _meta: 1 }, { _meta: { [Meta.capabilities]: {} } }])
      throws(() => assertStatelessMeta(params), { code: RpcCode.invalidParams, message: /protocolVersion/ });
    for (const capabilities of [undefined, 1, "all"])
      throws(() => assertStatelessMeta({ _meta: { ...META, [Meta.capabilities]: capabilities } }), {
        code: RpcCode.invalidParams,
        message: /clientCapabilities/,
      });
    throws(() => assertStatelessMeta({ _meta: { ...META, [Meta.version]: "2030-01-01" } }), {
      code: McpCode.unsupportedVersion,
    });
  });

  test("adds and removes only its own members of _meta", () => {
    const params = { name: "look", _meta: { progressToken: 1 } };
    deepEqual(withoutMeta(withMeta(params, META)), params);
    deepEqual(withoutMeta(withMeta({ name: "look" }, META)), { name: "look" });
    deepEqual(withMeta({ _meta: { [Meta.version]: "given" } }, META)["_meta"], { ...META, [Meta.version]: "given" });
  });
});
