import { deepEqual, equal } from "node:assert/strict";
import { SidecarUnavailable } from "../errors";
import { Log } from "../log";
import { FakeSidecar } from "../testing/fake-sidecar";
import { summary } from "../testing/session-summary";
import { settled } from "../testing/settled";
import { SessionList, type ListContent } from "./session-list";

function fixture() {
  const sidecar = new FakeSidecar(),
    shown: (ListContent | undefined)[] = [],
    list = new SessionList({
      client: () => sidecar.current(),
      show: content => void shown.push(content),
      log: new Log(),
    });
  sidecar.reply("sessions/list", () => ({ sessions: [summary("a")] }));
  return { sidecar, shown, list };
}

suite("SessionList", () => {
  test("combines changes during a request into one further request", async () => {
    const { sidecar, shown, list } = fixture();
    sidecar.hold("sessions/list");
    list.load();
    list.load();
    list.load();
    await settled();
    equal(sidecar.calls.length, 1);
    sidecar.release();
    await settled();
    equal(sidecar.calls.length, 2);
    deepEqual(shown, [{ sessions: [summary("a")] }, { sessions: [summary("a")] }]);
  });

  test("keeps the sessions after a failure and reports it", async () => {
    const { sidecar, list } = fixture();
    list.load();
    await settled();
    sidecar.fail(new SidecarUnavailable("No sidecar runs."));
    list.load();
    await settled();
    deepEqual(list.content, { sessions: [summary("a")], problem: "No sidecar runs." });
    sidecar.unavailable = undefined;
    sidecar.restart();
    list.load();
    await settled();
    deepEqual(list.content, { sessions: [summary("a")] });
  });

  test("reports no exit of the sidecar, which restarts", async () => {
    const { sidecar, list } = fixture();
    sidecar.hold("sessions/list");
    list.load();
    await settled();
    sidecar.die();
    await settled();
    equal(list.content, undefined);
  });
});
