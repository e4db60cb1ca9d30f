import { deepEqual, equal, rejects } from "node:assert/strict";
import { SidecarExited, SidecarRefused, SidecarUnavailable } from "../errors";
import { ELIZA } from "../protocol/agents/agents";
import { FakeSidecar } from "../testing/fake-sidecar";
import { settled } from "../testing/settled";
import { TabSessions } from "./tab-sessions";

const PLAN = { conversation: "t", agent: ELIZA, cwd: "/w" };
const plan = () => Promise.resolve(PLAN);

function fixture() {
  const sidecar = new FakeSidecar();
  return { sidecar, tabs: new TabSessions(() => sidecar.current()) };
}

suite("TabSessions", () => {
  test("opens a tab once and finds it by its session", async () => {
    const { sidecar, tabs } = fixture();
    const both = [tabs.open("t", plan), tabs.open("t", plan)];
    equal(tabs.kind("t"), "opening");
    deepEqual(
      (await Promise.all(both)).map(({ sessionId }) => sessionId),
      ["s1", "s1"],
    );
    deepEqual([tabs.tabOf("s1"), tabs.kind("t"), tabs.ids, sidecar.methods()], ["t", "open", ["t"], ["chat/new"]]);
  });

  test("resolves waiting requests in order when the session opens", async () => {
    const { sidecar, tabs } = fixture();
    const order: number[] = [];
    sidecar.hold("chat/new");
    void tabs.open("t", plan);
    for (const n of [1, 2, 3]) void tabs.session("t").then(() => order.push(n));
    await settled();
    deepEqual(order, []);
    sidecar.release();
    await settled();
    deepEqual(order, [1, 2, 3]);
  });

  test("delays an opening while the sidecar restarts", async () => {
    const { sidecar, tabs } = fixture();
    sidecar.hold("chat/new");
    const opening = tabs.open("t", plan);
    await settled();
    sidecar.die();
    await settled();
    equal(tabs.kind("t"), "opening");
    sidecar.restart();
    equal((await opening).client, await sidecar.current());
    deepEqual(sidecar.methods(), ["chat/new"]);
  });

  test("rejects waiting requests without a sidecar and allows a later opening", async () => {
    const { sidecar, tabs } = fixture();
    sidecar.unavailable = new SidecarUnavailable("It is not started again.");
    const opening = tabs.open("t", plan);
    await rejects(tabs.session("t"), /not started again/);
    await rejects(opening, /not started again/);
    equal(tabs.kind("t"), "lost");
    sidecar.unavailable = undefined;
    equal((await tabs.open("t", plan)).sessionId, "s1");
  });

  test("rejects on a sidecar error and on a failed plan", async () => {
    const { sidecar, tabs } = fixture();
    sidecar.refuse("chat/new", new SidecarRefused(-1, "No."));
    await rejects(tabs.open("t", plan), /No\./);
    await rejects(
      tabs.open("u", () => Promise.reject(new Error("no folder"))),
      /no folder/,
    );
    deepEqual([tabs.kind("t"), tabs.kind("u")], ["lost", "lost"]);
  });

  test("marks tabs as lost after a sidecar exit and waits for the next opening", async () => {
    const { sidecar, tabs } = fixture();
    await tabs.open("t", plan);
    sidecar.die();
    tabs.lost();
    deepEqual([tabs.kind("t"), tabs.tabOf("s1"), tabs.isAnyWithoutSession], ["lost", undefined, true]);
    const waiting = tabs.session("t");
    sidecar.restart();
    await tabs.open("t", plan);
    equal((await waiting).sessionId, "s2");
    equal(tabs.tabOf("s2"), "t");
  });

  test("rejects requests for a lost tab when the sidecar failed and allows a later opening", async () => {
    const { sidecar, tabs } = fixture();
    await tabs.open("t", plan);
    await tabs.open("u", plan);
    tabs.forget("t");
    const waiting = tabs.session("t");
    tabs.refuse(new SidecarUnavailable("It is not started again."));
    await rejects(waiting, /not started again/);
    deepEqual([tabs.kind("t"), tabs.kind("u")], ["lost", "open"]);
    equal((await tabs.open("t", plan)).sessionId, "s3");
    equal(sidecar.calls.length, 3);
  });

  test("forgets only the unknown session", async () => {
    const { tabs } = fixture();
    await tabs.open("t", plan);
    await tabs.open("u", plan);
    tabs.forget("t");
    tabs.forget("gone");
    deepEqual([tabs.kind("t"), tabs.tabOf("s1"), tabs.kind("u"), tabs.tabOf("s2")], ["lost", undefined, "open", "u"]);
  });

  test("closes the session of an open or opening tab and rejects waiting requests", async () => {
    const { sidecar, tabs } = fixture();
    await tabs.open("t", plan);
    void tabs.close("t");
    deepEqual([sidecar.methods(), tabs.ids, tabs.tabOf("s1")], [["chat/new", "chat/close"], [], undefined]);
    sidecar.hold("chat/new");
    const opening = tabs.open("u", plan);
    await settled();
    void tabs.close("u");
    await rejects(opening, /was closed/);
    sidecar.release();
    await settled();
    deepEqual(sidecar.calls.at(-1), { method: "chat/close", params: { sessionId: "s2" } });
    await rejects(tabs.session("u"), /is closed/);
    void tabs.close("never");
  });

  test("keeps one session for a tab closed and reopened during its opening", async () => {
    const { sidecar, tabs } = fixture();
    sidecar.hold("chat/new");
    void tabs.open("t", plan);
    await settled();
    void tabs.close("t");
    const again = tabs.open("t", plan);
    await settled();
    sidecar.release();
    equal((await again).sessionId, "s2");
    await settled();
    deepEqual(sidecar.calls.at(-1), { method: "chat/close", params: { sessionId: "s1" } });
    equal(tabs.tabOf("s2"), "t");
  });

  test("passes an open or opening tab with its session, which only its last owner closes", async () => {
    const { sidecar, tabs } = fixture(),
      other = new TabSessions(() => sidecar.current());
    await tabs.open("t", plan);
    tabs.pass("t", other);
    tabs.pass("t", other);
    sidecar.hold("chat/new");
    const opening = tabs.open("u", plan);
    await settled();
    tabs.pass("u", other);
    void tabs.open("v", plan);
    await settled();
    tabs.pass("v", other);
    void other.close("v");
    sidecar.release();
    await opening;
    await settled();
    deepEqual(
      [tabs.ids, other.ids, tabs.tabOf("s1"), other.tabOf("s1"), other.tabOf("s2"), other.sessionOf("u")],
      [[], ["t", "u"], undefined, "t", "u", "s2"],
    );
    deepEqual(sidecar.calls.slice(3), [{ method: "chat/close", params: { sessionId: "s3" } }]);
  });

  test("ignores a close without a sidecar", async () => {
    const { sidecar, tabs } = fixture();
    await tabs.open("t", plan);
    sidecar.refuse("chat/close", new SidecarExited("gone"));
    tabs.dispose();
    await settled();
    deepEqual(tabs.ids, []);
  });
});
