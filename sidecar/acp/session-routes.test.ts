import { deepEqual, equal } from "node:assert/strict";
import { SessionRoutes } from "./session-routes";

suite("SessionRoutes", () => {
  test("routes a request without a session to the newest waiting listener that was not left", () => {
    const routes = new SessionRoutes<string>();
    for (const id of ["a", "b"]) routes.add(id, `listener ${id}`);
    const [a, b] = [routes.waits("listener a"), routes.waits("listener b")];
    equal(routes.newestWaiting, "listener b");
    routes.leave("b");
    equal(routes.newestWaiting, "listener a", "b's answer has not come, and need not");
    b();
    equal(routes.newestWaiting, "listener a");
    a();
    equal(routes.newestWaiting, undefined);
  });

  test("routes subagent messages to the top session until it is left", () => {
    const routes = new SessionRoutes<string[]>(),
      received: string[] = [];
    const isDelivered = (id: string): boolean =>
      routes.notify(id, listener => {
        listener.push(id);
      });
    const opened = routes.opens();
    equal(routes.adopt("child", "top"), true);
    equal(routes.adopt("grandchild", "child"), true);
    equal(isDelivered("grandchild"), true);
    routes.add("top", received);
    opened(() => undefined);
    isDelivered("child");
    deepEqual(received, ["grandchild", "child"]);
    routes.leave("top");
    equal(routes.wasLeft("child"), true);
    equal(isDelivered("unknown"), false);
  });

  test("rejects a subagent id that has a listener, is its own ancestor, was left or has another parent", () => {
    const routes = new SessionRoutes<string>();
    for (const id of ["a", "b", "gone"]) routes.add(id, id);
    routes.leave("gone");
    deepEqual([routes.adopt("b", "a"), routes.adopt("a", "a"), routes.adopt("gone", "a")], [false, false, false]);
    deepEqual(
      [routes.adopt("c", "a"), routes.adopt("c", "a"), routes.adopt("c", "b"), routes.adopt("a", "c")],
      [true, true, false, false],
    );
    equal(routes.topOf("c"), "a");
  });

  test("treats a session opened with a subagent's id as a session", () => {
    const routes = new SessionRoutes<string>();
    routes.add("a", "a");
    routes.adopt("c", "a");
    routes.add("c", "c");
    equal(routes.topOf("c"), "c");
  });
});
