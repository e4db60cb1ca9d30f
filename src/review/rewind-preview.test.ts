import { deepEqual, rejects } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { settled } from "../testing/settled";
import { FakeTabs } from "../testing/fake-tabs";
import { RewindPreview } from "./rewind-preview";

/** Opens previews, and records their decisions and whether the active editor is one. */
function fixture() {
  const tabs = new FakeTabs(),
    decisions: string[] = [],
    active: boolean[] = [];
  let message = deferred<boolean>();
  const preview = new RewindPreview({
    tabs,
    ask: () => (message = deferred<boolean>()).promise,
    showActive: isActive => active.push(isActive),
  });
  const confirm = (title: string, label: string | undefined = `${title} (1 file)`): Promise<void> =>
    preview
      .confirm(title, "Restore?", "Restore", async () => {
        if (label !== undefined) tabs.open(label);
      })
      .then(isConfirmed => void decisions.push(`${title} ${isConfirmed}`));
  return { tabs, decisions, active, preview, confirm, answer: (isSelected: boolean) => message.resolve(isSelected) };
}

suite("RewindPreview", () => {
  test("is confirmed by the button of the editor or of the message, which closes the editor", async () => {
    const { tabs, decisions, active, preview, confirm, answer } = fixture();
    const first = confirm("A");
    await settled();
    deepEqual(active.at(-1), true);
    tabs.open("A (old) (1 file)");
    deepEqual(active.at(-1), false);
    await preview.restore();
    await first;
    deepEqual(tabs.labels(), ["A (old) (1 file)"]);
    const second = confirm("A");
    await settled();
    answer(true);
    await second;
    await preview.restore();
    deepEqual(decisions, ["A true", "A true"]);
    deepEqual(tabs.labels(), ["A (old) (1 file)"]);
  });

  test("is rejected when its editor is closed, also with another editor whose title begins alike", async () => {
    const { tabs, decisions, confirm, answer } = fixture();
    tabs.open("A and B (1 file)");
    const first = confirm("A");
    await settled();
    await tabs.close(label => label === "A (1 file)");
    await first;
    answer(true);
    deepEqual(decisions, ["A false"]);
  });

  test("stays open when only its message is closed, unless no editor was opened", async () => {
    const { decisions, preview, confirm, answer } = fixture();
    const first = confirm("A");
    await settled();
    answer(false);
    await settled();
    deepEqual(decisions, []);
    await preview.restore();
    await first;
    const second = confirm("B", "another editor");
    await settled();
    answer(false);
    await second;
    deepEqual(decisions, ["A true", "B false"]);
  });

  test("is rejected by another preview and at the end, and fails with its editor", async () => {
    const { tabs, decisions, preview, confirm } = fixture();
    const first = confirm("A"),
      second = confirm("A", "A (2 files)");
    await first;
    await settled();
    deepEqual(tabs.labels(), ["A (2 files)"]);
    preview.dispose();
    await second;
    deepEqual(decisions, ["A false", "A false"]);
    await rejects(
      preview.confirm("A", "", "", () => Promise.reject(new Error("It cannot be opened."))),
      /opened/,
    );
  });
});
