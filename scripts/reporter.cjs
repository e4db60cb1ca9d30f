// A mocha reporter: the default one for users, and the results for `npm test` as JSON in the file that SYMPOSIUM_REPORT
// names. A test must be skipped with a reason: `this.skipReason = "…"; this.skip();` in the test or in a hook before
// it. Without a reason it fails.
const { writeFileSync } = require("node:fs");
const {
  reporters: { Spec },
  Runner: { constants: events },
} = require("mocha");

/** The duration of a suite is printed from this number of seconds. */
const SHOWN_SECONDS = 5;

module.exports = class Report extends Spec {
  constructor(runner, options) {
    super(runner, options);
    const report = { passed: 0, failed: [], skipped: [] };
    const began = new Map();
    runner.on(events.EVENT_SUITE_BEGIN, suite => began.set(suite, performance.now()));
    runner.on(events.EVENT_SUITE_END, suite => {
      const seconds = Math.round((performance.now() - began.get(suite)) / 1000);
      if (suite.parent?.root && seconds >= SHOWN_SECONDS) console.log(`  (${seconds} s, with its hooks)`);
    });
    const title = test => test.titlePath().join(" › ");
    runner.on(events.EVENT_TEST_PASS, () => {
      report.passed++;
    });
    runner.on(events.EVENT_TEST_FAIL, (test, error) => {
      report.failed.push({ title: title(test), message: String(error?.stack ?? error) });
    });
    runner.on(events.EVENT_TEST_PENDING, test => {
      const reason = test.ctx?.skipReason;
      if (typeof reason === "string") report.skipped.push({ title: title(test), reason });
      else report.failed.push({ title: title(test), message: "It was skipped without a reason." });
    });
    runner.on(events.EVENT_RUN_END, () => {
      if (!process.env.SYMPOSIUM_REPORT) return;
      const write = () => writeFileSync(process.env.SYMPOSIUM_REPORT, JSON.stringify(report));
      write();
      setTimeout(
        () => {
          report.failed.push({
            title: "the end",
            message: "All tests have ended, but an open handle or child process keeps their process alive.",
          });
          write();
          process.exit(1);
        },
        Number(options.reporterOption?.grace ?? 15_000),
      ).unref();
    });
  }
};
