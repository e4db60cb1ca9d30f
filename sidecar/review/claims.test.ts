import { equal } from "node:assert/strict";
import { ownerOf, type Claimant } from "./claims";

suite("owner of a change", () => {
  const session = (folder: string, ...claimed: string[]): Claimant => ({
    folders: [folder],
    claimed: new Set(claimed),
  });
  const FILE = "/w/a.txt",
    owner = (own: Claimant, ...others: Claimant[]): string => ownerOf(FILE, own, others);

  test("is the only session that works in its folder", () => {
    equal(owner(session("/w")), "own");
    equal(owner(session("/w"), session("/elsewhere", FILE), session("/w/deeper")), "own");
  });
  test("is the session whose tool calls name the file", () => {
    equal(owner(session("/w", FILE), session("/w")), "own");
    equal(owner(session("/w", "/w/b.txt"), session("/w", FILE)), "others");
  });
  test("is shared if no session names the file, or several do", () => {
    equal(owner(session("/w"), session("/w")), "shared");
    equal(owner(session("/w", FILE), session("/w", FILE)), "shared");
    equal(owner(session("/w", FILE), session("/w"), session("/w", FILE)), "shared");
  });
});
