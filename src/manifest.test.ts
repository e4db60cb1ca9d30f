import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { VENDOR } from "./lm/models";
import {
  COMMANDS,
  CONTAINER,
  CONTEXTS,
  SETTINGS,
  SETTINGS_PAGE,
  TEST_COMMANDS,
  VIEWS,
  WALKTHROUGH,
  type CommandName,
  type SettingName,
} from "./names";
import { LOG_LEVELS } from "./protocol/log";
import { BUILT_IN_AGENTS } from "./protocol/built-in-agents";
import {
  ASK_EACH_TIME,
  BUILT_IN_GROUPS,
  groupContext,
  PERMISSION_KINDS,
  PERMISSION_TOOLS,
  permissionTool,
  TOOL_GROUPS,
} from "./protocol/permission-tools";
import { UPDATE_MODES } from "./protocol/settings-view";
import { readSettings } from "./settings/store/settings";

interface Manifest {
  readonly publisher: string;
  readonly name: string;
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: unknown; readonly restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: { readonly supported: unknown };
  };
  readonly contributes: {
    readonly viewsContainers: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category?: string }[];
    readonly menus: Readonly<
      Record<string, readonly { readonly command: string; readonly when: string; readonly group?: string }[]>
    >;
    readonly languageModelChatProviders: readonly { readonly vendor: string; readonly when: string }[];
    readonly languageModelTools: readonly {
      readonly name: string;
      readonly toolReferenceName: string;
      readonly when: string;
      readonly canBeReferencedInPrompt: boolean;
      readonly modelDescription: string;
    }[];
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly id: string;
        readonly description: string;
        readonly media: { readonly svg: string; readonly altText: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly configuration: {
      readonly properties: Readonly<
        Record<string, { readonly default?: unknown; readonly scope?: string; readonly enum?: readonly string[] }>
      >;
    };
  };
}

/** Unit tests run in the project's folder. */
const source = readFileSync("package.json", "utf8");
const texts: Readonly<Record<string, string>> = JSON.parse(readFileSync("package.nls.json", "utf8"));
const TEXT_KEY = /^%(.+)%$/;
/** With the texts of `package.nls.json`, as VS Code shows it. */
const manifest: Manifest = JSON.parse(source, (_, value: unknown) =>
  typeof value === "string" ? (texts[TEXT_KEY.exec(value)?.[1] ?? ""] ?? value) : value,
);
const { contributes } = manifest;

suite("the manifest and the public names", () => {
  test("every setting is declared with the table's default and scope, and no other", () =>
    deepEqual(
      Object.fromEntries(
        Object.entries(contributes.configuration.properties).map(([name, { default: value, scope }]) => [
          name,
          { default: value, scope: scope === "machine" || scope === "application" ? "user" : "any" },
        ]),
      ),
      SETTINGS,
    ));

  test("package.nls.json has exactly the texts that the manifest refers to", () => {
    const used = [...source.matchAll(/"%([^"%]+)%"/g)].map(([, key = ""]) => key);
    deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
  });

  test("every declared setting is read", () => {
    const read = new Set<SettingName>();
    readSettings(name => {
      read.add(name);
      return undefined;
    });
    deepEqual([...read].sort(), Object.keys(contributes.configuration.properties).sort());
  });

  test("what a setting may be is what we know", () =>
    deepEqual(
      [
        contributes.configuration.properties["symposium.logLevel"]?.enum,
        contributes.configuration.properties["symposium.updates"]?.enum,
      ],
      [LOG_LEVELS, UPDATE_MODES],
    ));

  test("the defaults of the manifest are values that we understand", () => {
    const settings = readSettings(name => contributes.configuration.properties[name]?.default);
    deepEqual(settings.problems, []);
    deepEqual(
      settings,
      readSettings(() => undefined),
    );
  });

  test("every command is declared with the table's title, and no other; the tests' own are not", () => {
    deepEqual(Object.fromEntries(contributes.commands.map(({ command, title }) => [command, title])), COMMANDS);
    ok(contributes.commands.every(({ category }) => category === "Symposium"));
    const declared = JSON.stringify(manifest);
    for (const name of TEST_COMMANDS) ok(!declared.includes(name));
  });

  test("menus name declared commands and views", () => {
    for (const [menu, items] of Object.entries(contributes.menus))
      for (const { command, when } of items)
        ok(
          command in COMMANDS && (menu !== "view/title" || VIEWS.some(view => when === `view == ${view}`)),
          `${command} in ${menu}`,
        );
  });

  test("what a user looks at or has selected can be added from its own menu", () => {
    const menusOf = (name: CommandName): readonly string[] =>
      Object.entries(contributes.menus).flatMap(([menu, items]) =>
        items.some(({ command }) => command === name) ? [menu] : [],
      );
    deepEqual(
      [menusOf("symposium.addToChat"), menusOf("symposium.discussSelection")],
      [["explorer/context", "editor/title/context", "editor/context", "terminal/context"], ["editor/context"]],
    );
  });

  test("container and views are the table's", () => {
    deepEqual(
      Object.values(contributes.viewsContainers)
        .flat()
        .map(({ id }) => id),
      [CONTAINER],
    );
    deepEqual(
      Object.entries(contributes.views).map(([container, views]) => [container, views.map(({ id }) => id)]),
      [[CONTAINER, [...VIEWS]]],
    );
  });

  test("nothing activates before its first use; a settings page that was open when the window was reloaded is one", () =>
    deepEqual(manifest.activationEvents, [`onWebviewPanel:${SETTINGS_PAGE}`]));

  test("each step of the walkthrough leads to commands that there are, has its drawing, and is ticked off by what we do", () => {
    deepEqual(
      contributes.walkthroughs.map(({ id }) => id),
      [WALKTHROUGH],
    );
    const steps = contributes.walkthroughs.flatMap(walkthrough => walkthrough.steps);
    equal(new Set(steps.map(({ id }) => id)).size, 5);
    const known = new Set([
      ...Object.keys(COMMANDS).map(command => `onCommand:${command}`),
      ...VIEWS.map(view => `onView:${view}`),
      ...Object.values(CONTEXTS).map(context => `onContext:${context}`),
    ]);
    for (const { id, description, media, completionEvents } of steps) {
      ok(
        [...description.matchAll(/\(command:([^)]*)\)/g)].every(([, command = ""]) => command in COMMANDS),
        id,
      );
      ok(
        existsSync(media.svg) &&
          !/#[0-9a-f]{3}|rgb\(|<script|href/i.test(readFileSync(media.svg, "utf8")) &&
          media.altText !== "",
        id,
      ); // the theme defines colours
      ok(completionEvents.length > 0 && completionEvents.every(event => known.has(event)), id);
    }
  });

  test("each step of the walkthrough is also ticked for what was done before it was opened", () => {
    const [steps = []] = contributes.walkthroughs.map(({ steps }) => steps);
    const contexts = steps.map(({ id, completionEvents }) => [
      id,
      completionEvents.filter(event => event.startsWith("onContext:")),
    ]);
    deepEqual(Object.fromEntries(contexts), {
      answer: [`onContext:${CONTEXTS.answered}`],
      agent: [`onContext:${CONTEXTS.agentChosen}`],
      signIn: [`onContext:${CONTEXTS.signedIn}`],
      add: [`onContext:${CONTEXTS.contextAdded}`],
      settings: [`onContext:${CONTEXTS.settingsUsed}`],
    });
  });

  test("the gear of the chat leads to the settings", () =>
    ok(
      contributes.menus["view/title"]?.some(
        ({ command, when, group }) =>
          command === "symposium.openSettings" &&
          when === "view == symposium.chatView" &&
          group?.startsWith("navigation"),
      ),
    ));

  test("a workspace that is not trusted cannot decide what is executed or how it is allowed", () => {
    const { untrustedWorkspaces, virtualWorkspaces } = manifest.capabilities;
    deepEqual(
      [untrustedWorkspaces.supported, virtualWorkspaces.supported, manifest.extensionKind],
      ["limited", false, ["workspace"]],
    );
    for (const name of [
      "symposium.agents",
      "symposium.currentAgentId",
      "symposium.bypassPermissions",
      "symposium.acpAgentPath",
    ])
      ok(untrustedWorkspaces.restrictedConfigurations.includes(name), name);
    for (const name of untrustedWorkspaces.restrictedConfigurations) ok(name in SETTINGS, name);
  });

  test("the models, and the tools by which their agents ask, are there only when they are switched on", () => {
    const when = "config.symposium.enableExperimentalLM";
    deepEqual(
      contributes.languageModelChatProviders.map(({ vendor, when }) => [vendor, when]),
      [[VENDOR, when]],
    );
    deepEqual(
      contributes.languageModelTools.map(({ name }) => name),
      PERMISSION_TOOLS,
    );
    // VS Code offers a chat only tools that can be referenced, by a unique name.
    ok(
      contributes.languageModelTools.every(
        tool =>
          tool.canBeReferencedInPrompt &&
          tool.toolReferenceName === tool.name &&
          /Never call/.test(tool.modelDescription),
      ),
    );
  });

  test("each agent has permission tools of its own, one per kind, offered while the agent is in the model picker", () => {
    const when = "config.symposium.enableExperimentalLM",
      tools = new Map(contributes.languageModelTools.map(tool => [tool.name, tool.when]));
    deepEqual(
      [...BUILT_IN_GROUPS.keys()],
      BUILT_IN_AGENTS.map(({ id }) => id),
    );
    equal(tools.get(ASK_EACH_TIME), when);
    for (const group of TOOL_GROUPS)
      for (const kind of PERMISSION_KINDS)
        equal(tools.get(permissionTool(group, kind)), `${when} && ${groupContext(group)}`);
    equal(tools.size, 1 + TOOL_GROUPS.length * PERMISSION_KINDS.length);
  });

  test("publisher and name", () => equal(`${manifest.publisher}.${manifest.name}`, "symposium-dev.symposium"));
});
