import { equal, ok } from "node:assert/strict";
import { isFromLoopback, REGISTRY_ADDRESSES, secureUrl } from "./secure-url";

suite("registry addresses", () => {
  test("uses https for the registries", () => {
    for (const address of REGISTRY_ADDRESSES) ok(secureUrl(address, { loopback: false }));
  });

  test("accepts http for localhost only where allowed", () => {
    for (const address of [
      "http://127.0.0.1:8080/registry.json",
      "http://localhost/a",
      "http://[::1]:1/a",
      "http://127.1/a",
    ]) {
      ok(secureUrl(address, { loopback: true }), address);
      equal(secureUrl(address, { loopback: false }), undefined);
      ok(isFromLoopback(address));
    }
  });

  test("rejects all other addresses", () => {
    for (const address of [
      "",
      "registry.json",
      "/registry.json",
      "http://example.com/a",
      "http://127.0.0.1.example.com/a",
      "http://localhost.example.com/a",
      "http://127.0.0.1@example.com/a",
      "https://me:secret@example.com/a",
      "https://me@example.com/a",
      "https://:secret@example.com/a",
      "file:///etc/passwd",
      "ftp://example.com/a",
      "data:application/json,{}",
      "javascript:1",
      "http://0.0.0.0/a",
      "http://10.0.0.1/a",
    ])
      equal(secureUrl(address, { loopback: true }), undefined, address);
    for (const address of ["", "x", "https://example.com", "https://127.0.0.1.example.com"])
      ok(!isFromLoopback(address));
  });
});
