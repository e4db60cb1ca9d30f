import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";
import { VENDOR } from "./lm/models";
import {
  CHAT_CONTAINER,
  CHAT_EDITOR,
  CHAT_FOCUSED,
  CHAT_VIEW,
  COMMANDS,
  CONTEXTS,
  REVIEW_COMMANDS,
  REVIEW_COMMENTS,
  REVIEW_CONTEXTS,
  SESSION_CONTEXTS,
  SESSIONS_CONTAINER,
  SESSIONS_VIEW,
  SETTINGS,
  SETTINGS_PAGE,
  SETTINGS_VIEW,
  SOURCE_CONTROL,
  TEST_COMMANDS,
  VIEWS,
  WALKTHROUGH,
  type CommandName,
  type SettingName,
} from "./names";
import { LOG_LEVELS } from "./protocol/wire/log";
import { BUILT_IN_AGENTS } from "./protocol/agents/built-in-agents";
import {
  ASK_EACH_TIME,
  BUILT_IN_GROUPS,
  groupContext,
  PERMISSION_KINDS,
  PERMISSION_TOOLS,
  permissionTool,
  TOOL_GROUPS,
} from "./protocol/lm/permission-tools";
import { UPDATE_MODES } from "./protocol/settings/settings-view";
import { REVIEW_SCHEME } from "./review/review-uri";
import { FOCUS } from "./sessions/session-commands";
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
    readonly keybindings: readonly {
      readonly command: string;
      readonly key: string;
      readonly args?: unknown;
      readonly when?: string;
    }[];
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string; readonly when: string }[];
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

const commandsLinkedIn = (text: string): readonly string[] =>
  [...text.matchAll(/\(command:([^)]*)\)/g)].map(([, command = ""]) => command);
const isWhenView = (when: string, view: string): boolean =>
  when === `view == ${view}` || when.startsWith(`view == ${view} && `);

suite("manifest", () => {
  test("has no key twice in an object, because the first value would be lost", () => {
    const source = ts.parseJsonText("package.json", readFileSync("package.json", "utf8")),
      repeated: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isObjectLiteralExpression(node)) {
        const names = node.properties.map(({ name }) => name?.getText(source) ?? "");
        repeated.push(...names.filter((name, i) => names.indexOf(name) !== i));
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    deepEqual(repeated, []);
  });

  test("declares every setting with its default and scope", () =>
    deepEqual(
      Object.fromEntries(
        Object.entries(contributes.configuration.properties).map(([name, { default: value, scope }]) => [
          name,
          { default: value, scope: scope === "machine" || scope === "application" ? "user" : "any" },
        ]),
      ),
      SETTINGS,
    ));

  test("has exactly the texts in package.nls.json that it refers to", () => {
    const used = [...source.matchAll(/"%([^"%]+)%"/g)].map(([, key = ""]) => key);
    deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
  });

  test("declares exactly the settings that are read", () => {
    const read = new Set<SettingName>();
    readSettings(name => {
      read.add(name);
      return undefined;
    });
    deepEqual([...read].sort(), Object.keys(contributes.configuration.properties).sort());
  });

  test("declares the known enum values", () =>
    deepEqual(
      [
        contributes.configuration.properties["symposium.logLevel"]?.enum,
        contributes.configuration.properties["symposium.agentLogLevel"]?.enum,
        contributes.configuration.properties["symposium.updates"]?.enum,
      ],
      [LOG_LEVELS, ["", ...LOG_LEVELS], UPDATE_MODES],
    ));

  test("declares valid defaults", () => {
    const settings = readSettings(name => contributes.configuration.properties[name]?.default);
    deepEqual(settings.problems, []);
    deepEqual(
      settings,
      readSettings(() => undefined),
    );
  });

  test("declares every command with its title, except test commands", () => {
    deepEqual(Object.fromEntries(contributes.commands.map(({ command, title }) => [command, title])), COMMANDS);
    ok(contributes.commands.every(({ category }) => category === "Symposium"));
    const declared = JSON.stringify(manifest);
    for (const name of TEST_COMMANDS) ok(!declared.includes(name));
  });

  test("refers to declared commands and views in menus", () => {
    for (const [menu, items] of Object.entries(contributes.menus))
      for (const { command, when } of items)
        ok(
          command in COMMANDS && (!menu.startsWith("view/") || VIEWS.some(view => isWhenView(when, view))),
          `${command} in ${menu}`,
        );
  });

  test("binds keys of the list of sessions, the chat and the review to the focus of their views", () => {
    const ofList = contributes.keybindings.filter(({ args }) => args === FOCUS),
      isOfReview = ({ command }: { readonly command: string }) => command in REVIEW_COMMANDS,
      ofChat = contributes.keybindings.filter(each => each.args === undefined && !isOfReview(each)),
      ofReview = contributes.keybindings.filter(isOfReview);
    deepEqual(
      ofReview.map(({ command, when }) => [command, when]),
      ["keepHunk", "undoHunk"].map(name => [`symposium.${name}`, `editorTextFocus && ${REVIEW_CONTEXTS.inFile}`]),
    );
    ok(ofList.every(({ when = "" }) => when.startsWith(`focusedView == ${SESSIONS_VIEW} && `)));
    deepEqual(
      ofChat.map(({ command, when }) => [command, when]),
      [
        ["symposium.focusPrompt", undefined],
        ...["newTab", "nextQuestion", "allowOnce", "rejectOnce", "stop", "showSessions"].map(name => [
          `symposium.${name}`,
          CHAT_FOCUSED,
        ]),
      ],
    );
    ok(contributes.keybindings.every(({ command }) => command in COMMANDS));
    equal(new Set(ofChat.map(({ key }) => key)).size, ofChat.length);
  });

  test("documents every key of the chat and the review", () => {
    const readme = readFileSync("README.md", "utf8");
    for (const { command, args } of contributes.keybindings)
      if (args === undefined) ok(readme.includes(`*${COMMANDS[command as CommandName]}*`), command);
  });

  test("links welcome texts to declared commands of the view", () => {
    for (const { view, contents, when } of contributes.viewsWelcome) {
      ok(VIEWS.some(each => each === view) && when.startsWith(`${SESSION_CONTEXTS.content} == `), when);
      ok(
        commandsLinkedIn(contents).every(command => command in COMMANDS),
        contents,
      );
    }
  });

  test("uses only context keys of the view that the extension sets", () => {
    const used = [...source.matchAll(/symposium\.sessions\.\w+/g)].map(([key]) => key);
    deepEqual([...new Set(used)].sort(), Object.values(SESSION_CONTEXTS).sort());
  });

  test("uses only names of the review that the extension defines", () => {
    const used = [...source.matchAll(/symposium\.review\.(?!codeLens)\w+/g)].map(([key]) => key);
    deepEqual([...new Set(used)].sort(), Object.values(REVIEW_CONTEXTS).sort());
    const menus = Object.entries(contributes.menus);
    for (const [menu, items] of menus)
      for (const { when } of items) {
        if (/^scm\/(?!change)/.test(menu)) ok(when.startsWith(`scmProvider == ${SOURCE_CONTROL}`), when);
        if (menu === "scm/change/title") ok(when.includes(`originalResourceScheme == ${REVIEW_SCHEME}`), when);
        if (menu.startsWith("comments/")) ok(when.startsWith(`commentController == ${REVIEW_COMMENTS}`), when);
      }
  });

  test("offers to add visible or selected content in its menu", () => {
    const menusOf = (name: CommandName): readonly string[] =>
      Object.entries(contributes.menus).flatMap(([menu, items]) =>
        items.some(({ command }) => command === name) ? [menu] : [],
      );
    deepEqual(
      [menusOf("symposium.addToChat"), menusOf("symposium.discussSelection")],
      [["explorer/context", "editor/title/context", "editor/context", "terminal/context"], ["editor/context"]],
    );
  });

  test("places the chat in the secondary side bar, and sessions and settings in the activity bar", () => {
    const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);
    deepEqual(
      Object.entries(contributes.viewsContainers).map(([place, containers]) => [place, ids(containers)]),
      [
        ["secondarySidebar", [CHAT_CONTAINER]],
        ["activitybar", [SESSIONS_CONTAINER]],
      ],
    );
    deepEqual(
      Object.entries(contributes.views).map(([container, views]) => [container, ids(views)]),
      [
        [CHAT_CONTAINER, [CHAT_VIEW]],
        [SESSIONS_CONTAINER, [SESSIONS_VIEW, SETTINGS_VIEW]],
      ],
    );
  });

  test("activates after the start of a window, for a link or for a restored editor", () =>
    deepEqual(manifest.activationEvents, [
      "onStartupFinished",
      "onUri",
      `onWebviewPanel:${CHAT_EDITOR}`,
      `onWebviewPanel:${SETTINGS_PAGE}`,
      `onFileSystem:${REVIEW_SCHEME}`,
    ]));

  test("links each walkthrough step to existing commands, pictures and completion events", () => {
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
        commandsLinkedIn(description).every(command => command in COMMANDS),
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

  test("completes each walkthrough step also for earlier actions", () => {
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

  test("opens the settings from the chat's gear", () =>
    ok(
      contributes.menus["view/title"]?.some(
        ({ command, when, group }) =>
          command === "symposium.openSettings" &&
          when === "view == symposium.chatView" &&
          group?.startsWith("navigation"),
      ),
    ));

  test("restricts executable settings in an untrusted workspace", () => {
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

  test("declares models and permission tools only behind their setting", () => {
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

  test("declares one permission tool per agent group and kind", () => {
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

  test("declares publisher and name", () => equal(`${manifest.publisher}.${manifest.name}`, "symposium-dev.symposium"));
});
