import { deepEqual } from "node:assert/strict";
import { Frame } from "../rpc/frame";
import { objectOr } from "../rpc/json";
import { negotiated } from "./protocol-version";

const CLIENT = { name: "client", version: "1" };

/** The params of `initialize` that the chain receives. */
function passedOn(params: object): unknown {
  const checked = negotiated(Frame.of({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  return "frame" in checked ? objectOr(objectOr(checked.frame.message).params) : checked.error;
}

suite("protocol version of a chain", () => {
  test("converts a request for a newer version to a valid request for version 2", () =>
    deepEqual(passedOn({ protocolVersion: 65_535, clientInfo: CLIENT }), {
      protocolVersion: 2,
      clientInfo: CLIENT,
      info: CLIENT,
    }));

  test("adds no version 2 members to a request for an older version", () =>
    deepEqual(passedOn({ protocolVersion: 0, clientInfo: CLIENT }), { protocolVersion: 1, clientInfo: CLIENT }));

  test("forwards a request for version 2 unchanged", () =>
    deepEqual(passedOn({ protocolVersion: 2, clientInfo: CLIENT }), { protocolVersion: 2, clientInfo: CLIENT }));
});
