/** Arguments passed to cargo, and arguments that a model cannot pass. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../rpc/json";
import { ToolFailure } from "../tool";
import { commandFor, SUBCOMMANDS, typed, type Subcommand } from "./command";

const line = (subcommand: Subcommand, args: JsonObject = {}): string => commandFor(subcommand, args).words.join(" ");
const refuses = (subcommand: Subcommand, args: JsonObject, why: RegExp): void =>
  throws(
    () => commandFor(subcommand, args),
    (error: unknown) => error instanceof ToolFailure && why.test(error.message),
  );

suite("cargo command", () => {
  test("requests JSON messages only for commands that build", () => {
    equal(line("check"), "check --message-format=json");
    equal(
      line("build", { package: "alpha", features: ["a", "b"], release: true }),
      "build --message-format=json --package=alpha --features=a,b --release",
    );
    equal(
      line("test", { package: "alpha", test_arg: "adds" }),
      "test --no-fail-fast --message-format=json --package=alpha -- adds",
    );
    equal(
      line("run", { bin: "b", release: false, args: ["--flag", "two words"] }),
      "run --message-format=json --bin=b -- --flag two words",
    );
    equal(
      line("add", { package: "serde@1", extra_args: ["--features", "derive", "-F=rc", "--dev", "-palpha", "anyhow"] }),
      "add serde@1 --features=derive --features=rc --dev --package=alpha anyhow",
    );
    equal(
      line("remove", { package: "serde", extra_args: ["--dev", "-p", "alpha"] }),
      "remove serde --dev --package=alpha",
    );
    equal(
      line("update", { package: "serde", extra_args: ["--precise", "1.2.3", "--recursive"] }),
      "update --package=serde --precise=1.2.3 --recursive",
    );
    equal(line("update", { extra_args: ["-n", "a@1.0.0"] }), "update --dry-run a@1.0.0");
    equal(line("clean", { package: "alpha" }), "clean --package=alpha");
    for (const item of ["add", "remove", "update", "clean"] as const)
      ok(!line(item, { package: "serde" }).includes("message-format"));
  });

  test("omits absent, null and empty arguments", () =>
    equal(line("test", { package: null, features: [], test_arg: "" }), "test --no-fail-fast --message-format=json"));

  test("returns a test filter but not an option of the test program", () => {
    deepEqual(
      [commandFor("test", { test_arg: "adds" }).wanted, commandFor("test", { test_arg: "--nocapture" }).wanted],
      ["adds", undefined],
    );
  });

  test("rejects options that make a test program write a file", () => {
    for (const test_arg of ["--logfile=/etc/hosts", "--logfile", "--logf=x"])
      refuses("test", { test_arg }, /not allowed for test programs/);
    for (const test_arg of ["--list", "logfile", "--nocapture"])
      ok(line("test", { test_arg }).endsWith(` -- ${test_arg}`));
  });

  test("rejects options that run or write something elsewhere, in any spelling", () => {
    const elsewhere = [
      "--config",
      "--config=build.rustc='x'",
      "-Z",
      "-Zunstable-options",
      "--manifest-path=/etc/Cargo.toml",
      "--manifest-path",
      "-C/tmp",
      "-C",
      "--target-dir=/",
      "--lockfile-path=/x",
      "--",
      "--color=always",
      "-",
      "--dev=1",
      "-n1",
      "--confi",
      "-q",
      "-vv",
    ];
    for (const item of ["add", "remove", "update"] as const)
      for (const word of elsewhere)
        refuses(item, { package: "serde", extra_args: [word, "x"] }, /not allowed for cargo/);
    refuses(
      "remove",
      { package: "a", extra_args: ["--path", "x"] },
      /“--path” in “extra_args” is not allowed for cargo remove/,
    );
  });

  test("rejects an option or a path as a crate name", () => {
    for (const name of ["--config", "-Zx", "+nightly", "../x", "a b", "", "@1"])
      refuses("add", { package: name }, /not the name of a crate/);
    for (const name of ["+nightly", "../x", "a b", "/x"])
      refuses("add", { package: "a", extra_args: [name] }, /not the name of a package/);
    for (const extra_args of [["--features"], ["--features", ""], ["--features="]])
      refuses("add", { package: "a", extra_args }, /needs a value/);
  });

  test("returns a path for its check and accepts only remote git repositories", () => {
    deepEqual(commandFor("add", { package: "alpha", extra_args: ["--path", "../alpha", "--path=b"] }).folders, [
      "../alpha",
      "b",
    ]);
    equal(
      line("add", { package: "a", extra_args: ["--git", "https://example.com/a", "--branch=x"] }),
      "add a --git=https://example.com/a --branch=x",
    );
    for (const address of ["ext::sh -c x", "file:///etc", "../a", "/a", "http://example.com"])
      refuses("add", { package: "a", extra_args: ["--git", address] }, /starts with https/);
  });

  test("rejects a zero character", () => refuses("run", { args: ["a\0b"] }, /NUL character/));

  test("never passes unknown options from a model's arguments", () => {
    const KNOWN =
      /^--(no-fail-fast|message-format=json|release|(package|features|bin|precise|rename|target|registry|branch|tag|rev|git|path)=[^]*|dev|build|optional|no-optional|default-features|no-default-features|public|no-public|ignore-rust-version|locked|offline|frozen|dry-run|recursive|workspace)$/;
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "--config",
        "-Z",
        "--manifest-path",
        "--path",
        "--features",
        "-F",
        "-p",
        "-n",
        "--dev",
        "--",
        "-C",
        "--config=x",
        "serde",
      ),
      fc.string().map(text => `-${text}`),
      fc.string().map(text => `--${text}`),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...SUBCOMMANDS),
        fc.record({
          package: word,
          test_arg: word,
          bin: word,
          features: fc.array(word),
          args: fc.array(word),
          extra_args: fc.array(word),
        }),
        (subcommand, args) => {
          let words: readonly string[];
          try {
            words = commandFor(subcommand, args).words;
          } catch (error) {
            return ok(error instanceof ToolFailure);
          }
          const cut = words.indexOf("--"),
            own = cut === -1 ? words : words.slice(0, cut);
          equal(own[0], subcommand);
          ok(
            own.slice(1).every(item => KNOWN.test(item) || /^[^-]/.test(item)),
            own.join(" "),
          );
          ok(cut === -1 || subcommand === "test" || subcommand === "run");
        },
      ),
    );
  });

  test("displays a command line that a shell accepts", () =>
    equal(typed(["run", "--", "two words", "it's", "a=b"]), `cargo run -- 'two words' 'it'\\''s' a=b`));
});
