import { deepEqual, equal } from "node:assert/strict";
import { SessionRoutes } from "./session-routes";

suite("session routes", () => {
  test("a question without a session is the newest listener's who waits for an answer, and nobody's who was left", () => {
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

  test("the traffic of subagents goes to the session at the top, early or late, until that is left", () => {
    const routes = new SessionRoutes<string[]>(),
      heard: string[] = [];
    const told = (id: string): boolean =>
      routes.tell(id, listener => {
        listener.push(id);
      });
    const opened = routes.opens();
    equal(routes.adopt("child", "top"), true);
    equal(routes.adopt("grandchild", "child"), true);
    equal(told("grandchild"), true);
    routes.add("top", heard);
    opened(() => undefined);
    told("child");
    deepEqual(heard, ["grandchild", "child"]);
    routes.leave("top");
    equal(routes.wasLeft("child"), true);
    equal(told("unknown"), false);
  });

  test("no session becomes a subagent that has a listener, is its own parent, was left, or belongs to another", () => {
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

  test("a session that is opened under the id of a subagent is a session", () => {
    const routes = new SessionRoutes<string>();
    routes.add("a", "a");
    routes.adopt("c", "a");
    routes.add("c", "c");
    equal(routes.topOf("c"), "c");
  });
});
