import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { contentRef, contentUri, REVIEW_SCHEME, reviewedUri } from "./review-uri";

suite("URIs of recorded contents", () => {
  test("name the content, and keep the path of the file", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.boolean(), (root, path, exists) => {
        const uri = contentUri({ root, path }, "/w/a.ts", exists ? { mode: "100644", oid: "abc" } : undefined);
        equal(uri.path, "/w/a.ts");
        deepEqual(contentRef(uri), { root, path, content: { kind: "recorded", ...(exists ? { oid: "abc" } : {}) } });
        deepEqual(contentRef(reviewedUri({ root, path }, "/a")), { root, path, content: { kind: "reviewed" } });
      }),
    );
  });

  test("are not those of other providers", () => {
    equal(contentRef({ scheme: "git", query: "root=a&path=b" }), undefined);
    equal(contentRef({ scheme: REVIEW_SCHEME, query: "root=a" }), undefined);
  });
});
