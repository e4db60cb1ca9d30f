import { equal } from "node:assert/strict";
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
});
