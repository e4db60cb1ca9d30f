import { deepEqual, equal, match } from "node:assert/strict";
import { SidecarRefused, SidecarUnavailable } from "../../errors";
import type { Recommendation, RecommendationReason, RecommendationsView } from "../../protocol/agents/recommendations";
import { ErrorCode } from "../../protocol/wire/errors";
import { settled } from "../../testing/settled";
import { SettingsPlay, type PlayedPage } from "../../testing/settings-fixture";

const TOKIO: RecommendationReason = { by: { kind: "symposium" }, facts: [{ kind: "crate", name: "tokio" }] };
const HELPER: Recommendation = { key: "crate tokio-helper", source: { crate: "tokio-helper" }, reasons: [TOKIO] };
const SPARKLE: Recommendation = {
  key: "acp sparkles",
  source: { acp: "sparkles" },
  name: "Sparkles",
  description: "glitters",
  reasons: [{ by: { kind: "workspace", folder: "app" }, facts: [] }],
};
const REMOTE: Recommendation = {
  key: "url https://example.com/extension.json",
  source: { url: "https://example.com/extension.json" },
  reasons: [{ by: { kind: "user", list: "~/list.toml" }, facts: [{ kind: "file", path: "Dockerfile" }] }],
};

suite("recommended extensions", () => {
  const playing = (view: Partial<RecommendationsView> = {}): SettingsPlay => {
    const play = new SettingsPlay();
    play.sidecar.reply("recommendations/read", () => ({
      recommendations: [HELPER],
      stale: [],
      problems: [],
      ...view,
    }));
    return play;
  };
  const ids = (play: SettingsPlay) =>
    (play.values["symposium.extensions"] as readonly { readonly id: string }[]).map(({ id }) => id);
  const rows = (page: PlayedPage) => page.view.recommendations?.rows.map(({ name }) => name);
  const requests = (play: SettingsPlay) =>
    play.calls("recommendations/read").map(params => (params as { readonly fetch: string }).fetch);
  const press = (page: PlayedPage, id: string, action: "add" | "dismiss" | "page") =>
    page.send({ type: "row", of: "recommendation", id, action });

  test("are announced once per workspace, and shown on request", async () => {
    const play = playing();
    play.shows = true;
    await play.recommendations.sidecarRuns();
    deepEqual(play.done, [
      "ask An agent extension is available for this workspace: tokio-helper. Recommended by Symposium because this project uses tokio.",
      "show",
    ]);
    await play.recommendations.sidecarRuns();
    equal(play.done.length, 2);
  });

  test("are not announced if none remains", async () => {
    const play = playing();
    await play.write("symposium.extensions", [{ id: "x", distribution: { cargo: { crate: "tokio_helper" } } }]);
    await play.recommendations.sidecarRuns();
    deepEqual(play.done, []);
  });

  test("are neither read nor shown in an untrusted workspace or without a folder", async () => {
    const play = playing(),
      page = await play.page();
    deepEqual(rows(page), ["tokio-helper"]);
    play.trusted = false;
    play.controller.changed();
    await settled();
    deepEqual([page.view.recommendations, requests(play).length], [undefined, 2]);
    await play.recommendations.sidecarRuns();
    play.trusted = true;
    play.folders = [];
    await play.recommendations.read();
    deepEqual([requests(play).length, play.done], [2, []]);
  });

  test("are shown with name, source and reasons", async () => {
    const play = playing({ recommendations: [HELPER, SPARKLE, REMOTE], problems: ["list.toml, line 3: …"] }),
      page = await play.page();
    deepEqual(
      page.view.recommendations?.rows.map(({ name, description, origin, findings }) => [
        name,
        description,
        origin,
        ...findings.map(({ sentence }) => sentence),
      ]),
      [
        ["tokio-helper", undefined, "Crate tokio-helper", "Recommended by Symposium because this project uses tokio."],
        [
          "Sparkles",
          "glitters",
          "sparkles from the registry",
          "Recommended by .symposium/recommendations.toml of app for this workspace.",
        ],
        [
          "example.com/extension.json",
          undefined,
          "https://example.com/extension.json",
          "Recommended by ~/list.toml because this project contains Dockerfile.",
        ],
      ],
    );
    deepEqual(page.view.recommendations?.problems, ["list.toml, line 3: …"]);
    await press(page, HELPER.key, "page");
    await press(page, SPARKLE.key, "page");
    deepEqual(play.done, ["page https://crates.io/crates/tokio-helper"]);
  });

  test("are shown in limited number, and the others after a decision", async () => {
    const many = Array.from(
        { length: 22 },
        (_, i): Recommendation => ({ key: `crate c${i}`, source: { crate: `c${i}` }, reasons: [TOKIO] }),
      ),
      page = await playing({ recommendations: many }).page();
    const counts = () => [rows(page)?.length, page.view.recommendations?.hidden];
    deepEqual(counts(), [20, 2]);
    await press(page, "crate c21", "dismiss");
    deepEqual(counts(), [20, 2]);
    await press(page, "crate c0", "dismiss");
    deepEqual([counts(), rows(page)?.at(-1)], [[20, 1], "c20"]);
  });

  test("become an enabled extension, and the page reveals it", async () => {
    const play = playing(),
      page = await play.page();
    await press(page, HELPER.key, "add");
    deepEqual((play.values["symposium.extensions"] as readonly unknown[])[1], {
      _enabled: true,
      id: "tokio-helper",
      name: "tokio-helper",
      distribution: { cargo: { crate: "tokio-helper" } },
      _source: "custom",
    });
    deepEqual([rows(page), page.of("reveal")], [undefined, [{ type: "reveal", of: "extension", id: "tokio-helper" }]]);
  });

  test("keep the kind of a crate, and get a free id", async () => {
    const play = playing({
        recommendations: [{ ...HELPER, source: { crate: "house" }, key: "crate house2", kind: "mcp" }],
      }),
      page = await play.page();
    await press(page, "crate house2", "add");
    const [, entry] = play.values["symposium.extensions"] as readonly Readonly<Record<string, unknown>>[];
    deepEqual([entry?.["id"], entry?.["kind"]], ["house-2", "mcp"]);
  });

  test("come from the registry with its entry", async () => {
    const play = playing({ recommendations: [SPARKLE] }),
      entry = {
        id: "sparkles",
        name: "Sparkles",
        version: "1.0.0",
        distribution: { npx: { package: "s@1.0.0" } },
        _source: "registry",
      },
      listed = { id: "sparkles", name: "Sparkles", version: "1.0.0", description: "", entry };
    const page = await play.page();
    play.sidecar.reply("registry/agents", () => ({ agents: [], extensions: [] }));
    await press(page, SPARKLE.key, "add");
    const [failure] = page.view.recommendations?.rows[0]?.findings ?? [];
    deepEqual([failure?.tone, failure?.sentence], ["error", "The registry has no extension “sparkles”."]);
    play.sidecar.reply("registry/agents", () => ({
      agents: [],
      extensions: [{ ...listed, missing: "npm is missing." }],
    }));
    await press(page, SPARKLE.key, "add");
    equal(page.view.recommendations?.rows[0]?.findings[0]?.sentence, "npm is missing.");
    play.sidecar.reply("registry/agents", () => ({ agents: [], extensions: [listed] }));
    await press(page, SPARKLE.key, "add");
    deepEqual([ids(play), rows(page)], [["house", "sparkles"], undefined]);
  });

  test("come from a URL, and are not recommended again in other workspaces", async () => {
    const play = playing({ recommendations: [REMOTE] }),
      page = await play.page();
    play.sidecar.refuse("registry/extension", new SidecarRefused(ErrorCode.refused, "It is not JSON."));
    await press(page, REMOTE.key, "add");
    equal(page.view.recommendations?.rows[0]?.findings[0]?.sentence, "It is not JSON.");
    const other = playing({ recommendations: [REMOTE] });
    other.sidecar.reply("registry/extension", () => ({
      entry: { id: "remote", name: "Remote", distribution: { npx: { package: "r" } }, _source: "custom" },
    }));
    await press(await other.page(), REMOTE.key, "add");
    deepEqual(ids(other), ["house", "remote"]);
    other.workspaceMemory.clear();
    await other.recommendations.read();
    deepEqual(other.recommendations.state.open, []);
    await other.write("symposium.extensions", []);
    deepEqual(other.recommendations.state.open, [REMOTE]);
  });

  test("are added from a URL only after a confirmation", async () => {
    const play = playing({ recommendations: [REMOTE] }),
      page = await play.page();
    play.sidecar.reply("registry/extension", () => ({ entry: { id: "r", distribution: { npx: { package: "r" } } } }));
    play.confirms = false;
    await press(page, REMOTE.key, "add");
    deepEqual(play.done, ["confirm Add “example.com/extension.json” and enable it in all workspaces?"]);
    deepEqual(ids(play), ["house"]);
    deepEqual(
      page.view.recommendations?.rows[0]?.buttons.map(({ action }) => action),
      ["add", "dismiss", "page"],
    );
  });

  test("are added also if the decisions cannot be stored, and nothing rejects", async () => {
    const play = playing(),
      page = await play.page();
    play.storeProblem = new Error("disk full");
    equal(await play.recommendations.accept(HELPER.key), "tokio-helper");
    deepEqual([ids(play), rows(page)], [["house", "tokio-helper"], undefined]);
    await Promise.all([
      play.recommendations.dismiss("a"),
      play.recommendations.restore(),
      play.recommendations.keep("a"),
    ]);
    await play.write("symposium.extensions", []);
    await play.recommendations.sidecarRuns();
  });

  test("disappear from the page without a folder", async () => {
    const play = playing(),
      page = await play.page();
    play.folders = [];
    await play.recommendations.read();
    await settled();
    equal(rows(page), undefined);
  });

  test("are recommended again if another extension gets the id of a removed one", async () => {
    const play = playing({ recommendations: [REMOTE] }),
      page = await play.page();
    play.sidecar.reply("registry/extension", () => ({ entry: { id: "r", distribution: { npx: { package: "r" } } } }));
    await press(page, REMOTE.key, "add");
    await play.write("symposium.extensions", []);
    await play.write("symposium.extensions", [{ id: "r", distribution: { npx: { package: "another" } } }]);
    deepEqual(play.recommendations.state.open, [REMOTE]);
    await play.recommendations.read();
    deepEqual((play.calls("recommendations/read").at(-1) as { readonly accepted: unknown }).accepted, []);
  });

  test("are remembered while settings.json is unreadable", async () => {
    const play = playing({ recommendations: [HELPER, REMOTE] }),
      page = await play.page();
    play.sidecar.reply("registry/extension", () => ({ entry: { id: "r", distribution: { npx: { package: "r" } } } }));
    await press(page, REMOTE.key, "add");
    await press(page, HELPER.key, "dismiss");
    const readable = play.values["symposium.extensions"];
    for (const unreadable of [undefined, [], "none"]) {
      await play.write("symposium.extensions", unreadable);
      await play.recommendations.read();
      await play.write("symposium.extensions", readable);
      deepEqual([play.recommendations.state.open, play.recommendations.state.dismissed], [[], 1]);
    }
    await play.recommendations.read();
    deepEqual(
      (play.calls("recommendations/read").at(-1) as { readonly accepted: readonly { readonly key: string }[] })
        .accepted,
      [{ key: REMOTE.key, reasons: REMOTE.reasons }],
    );
  });

  test("are added once, with a progress indicator", async () => {
    const play = playing({ recommendations: [REMOTE] }),
      page = await play.page();
    play.sidecar.hold("registry/extension");
    await press(page, REMOTE.key, "add");
    await press(page, REMOTE.key, "add");
    const [row] = page.view.recommendations?.rows ?? [];
    deepEqual([row?.progress, row?.buttons], [{ label: "Adding…" }, []]);
    equal(play.calls("registry/extension").length, 1);
  });

  test("can be dismissed in this workspace, and restored", async () => {
    const play = playing(),
      page = await play.page();
    await press(page, HELPER.key, "dismiss");
    deepEqual(page.view.recommendations, { rows: [], hidden: 0, problems: [], dismissed: 1 });
    await press(page, HELPER.key, "add");
    deepEqual(ids(play), ["house"]);
    await play.recommendations.sidecarRuns();
    deepEqual(play.done, []);
    await page.send({ type: "showDismissed" });
    deepEqual(rows(page), ["tokio-helper"]);
  });

  test("report on the extension's row if they do not apply any longer", async () => {
    const play = playing(),
      page = await play.page();
    await press(page, HELPER.key, "add");
    play.sidecar.reply("recommendations/read", ({ accepted }) => ({
      recommendations: [],
      stale: accepted.map(({ key, reasons }) => ({
        key,
        reasons: reasons.map(({ facts }) => ({ kind: "unmet" as const, facts })),
      })),
      problems: [],
    }));
    await play.recommendations.read();
    await settled();
    const findings = () =>
      page
        .row("tokio-helper", "extensions")
        .findings.map(({ sentence, buttons }) => [sentence, ...buttons.map(({ action }) => action)]);
    deepEqual(findings(), [
      ["This extension was recommended for this workspace, but this project does not use tokio.", "remove", "keep"],
    ]);
    await page.press("tokio-helper", "keep", "extension");
    deepEqual([findings(), ids(play)], [[], ["house", "tokio-helper"]]);
    await play.recommendations.read();
    deepEqual(
      play
        .calls("recommendations/read")
        .map(params => (params as { readonly accepted: readonly unknown[] }).accepted.length),
      [0, 0, 1, 0],
    );
  });

  test("remain as they were if the sidecar fails", async () => {
    const play = playing(),
      page = await play.page();
    play.sidecar.refuse("recommendations/read", new SidecarRefused(ErrorCode.refused, "no"));
    await play.recommendations.read();
    deepEqual(rows(page), ["tokio-helper"]);
    play.sidecar.unavailable = new SidecarUnavailable("It does not start.");
    await play.recommendations.sidecarRuns();
    match(play.done.join(), /tokio-helper/);
  });
});
