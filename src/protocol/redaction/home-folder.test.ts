import { equal } from "node:assert/strict";
import { withoutHome } from "./home-folder";

suite("home folder in a report", () => {
  test("is replaced in each spelling", () => {
    equal(withoutHome("/home/ada/x and /home/ada", "/home/ada"), "~/x and ~");
    const home = "C:\\Users\\Ada";
    equal(
      withoutHome(`${home}\\x, c:\\Users\\Ada\\y, ${JSON.stringify({ cwd: home })}, C:/Users/Ada/z`, home),
      '~\\x, ~\\y, {"cwd":"~"}, ~/z',
    );
  });

  test("is kept if it is the root or unknown", () => {
    for (const home of ["", "/"]) equal(withoutHome("/usr/bin", home), "/usr/bin");
  });
});
