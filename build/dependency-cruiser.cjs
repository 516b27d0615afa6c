/**
 * The arrows between the layers. What a layer may *use* of its runtime is the type checker's business
 * (one tsconfig per layer); what it may *import* of the project and its packages is said here.
 * `build/layers.test.ts` plants a violation of each rule and expects its name.
 */

/** Folders of src-main and the folders each may import from, besides itself and src-shared. */
const arrows = {
  config: ["disk"],
  disk: [],
  log: [],
  imports: [],
  people: ["log"],
  processes: ["config"],
  "worker-thread": [],
  forge: ["config", "processes"],
  jj: ["log", "config", "disk", "processes"],
  journal: ["log", "config"],
  metrics: ["config"],
  model: ["config"],
  tools: ["config", "disk", "processes", "worker-thread"],
  places: ["config", "disk", "external-agents", "jj", "processes", "tools"],
  checks: ["config", "disk", "tools", "worker-thread"],
  patterns: ["config", "jj"],
  sessions: ["config", "disk", "processes", "worker-thread"],
  "agent-files": ["config", "disk", "model"],
  agent: ["config", "model", "tools", "checks"],
  "external-agents": ["config", "model", "tools", "agent"],
  validation: ["config", "model", "tools", "checks", "agent", "jj"],
  rehearsals: ["config", "jj", "model"],
  engine: [
    ...["log", "config", "disk", "forge", "imports", "jj", "journal", "metrics", "model", "tools"],
    ...["checks", "patterns", "agent", "external-agents", "validation", "sessions", "agent-files", "places"],
  ],
  replay: ["config", "jj", "journal", "metrics", "tools", "patterns", "engine", "worker-thread"],
  doctor: ["config", "jj", "model", "tools", "external-agents"],
  api: [
    ...[
      "log",
      "config",
      "forge",
      "jj",
      "journal",
      "metrics",
      "model",
      "tools",
      "checks",
      "patterns",
      "places",
    ],
    ...["agent", "validation", "engine", "replay", "doctor", "rehearsals", "processes"],
    "people",
  ],
  transport: ["log", "config", "people", "places", "api"],
  electron: ["log", "config", "processes", "transport"],
  cli: [
    ...["agent-files", "config", "api", "engine", "replay", "doctor", "jj", "model", "sessions", "tools"],
    ...["disk", "forge", "people", "places", "processes", "rehearsals", "transport"],
  ],
};

/** Tests put layers together on purpose; generators for tests live in folders of that name. */
const test = "(\\.test\\.tsx?$|/testing/)";
/** A door between layers, types only: whoever implements it may see it from below. */
const door = "-interface\\.ts$";

const arrowRules = Object.entries(arrows).map(([folder, targets]) => ({
  name: `arrow-${folder}`,
  severity: "error",
  comment: `src-main/${folder} may import ${targets.join(", ") || "nothing of src-main"}: arrows point down only.`,
  from: { path: `^src-main/${folder}/`, pathNot: test },
  to: {
    path: "^src-main/[^/]+/",
    pathNot: [`^src-main/(${[folder, ...targets].join("|")})/`, door],
  },
}));

/** The shells put everything together, in files directly under src-main; only shells may use those. */
const rootRule = {
  name: "only-shells-use-the-composition",
  severity: "error",
  comment: "Files directly under src-main compose the host; layers below must not reach up to them.",
  from: { path: "^src-main/[^/]+/", pathNot: [test, "^src-main/(electron|cli)/"] },
  to: { path: "^src-main/[^/]+\\.ts$", pathNot: door },
};

const forbidden = [
  {
    name: "no-cycles",
    severity: "error",
    comment: "Modules that need each other are one module, or lack a third.",
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
  },
  {
    name: "shared-is-pure",
    severity: "error",
    comment: "src-shared runs everywhere: no Node, no Electron, nothing of the two sides.",
    from: { path: "^src-shared/", pathNot: test },
    to: { path: "^(src-main|src-renderer)/|node_modules/(electron|react|execa|ws)/" },
  },
  {
    name: "shared-without-node",
    severity: "error",
    comment: "src-shared runs in the window too, where there is no Node.",
    from: { path: "^src-shared/", pathNot: test },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "domain-knows-no-one",
    severity: "error",
    comment: "The words of the domain come first: graph and contract are written in them.",
    from: { path: "^src-shared/domain/", pathNot: test },
    to: { path: "^src-shared/(graph|contract)/" },
  },
  {
    name: "graph-knows-no-contract",
    severity: "error",
    comment: "The graph is drawn from, and sent through, the contract; it knows neither.",
    from: { path: "^src-shared/graph/", pathNot: test },
    to: { path: "^src-shared/contract/" },
  },
  {
    name: "renderer-only-shared",
    severity: "error",
    comment: "The window talks to the host through the contract and in no other way.",
    from: { path: "^src-renderer/", pathNot: test },
    to: { path: "^src-main/" },
  },
  {
    name: "renderer-without-node",
    severity: "error",
    comment: "The window has no Node.",
    from: { path: "^src-renderer/", pathNot: test },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "window-ground-knows-no-feature",
    severity: "error",
    comment: "What features stand on, and what they register with, knows none of them.",
    from: { path: "^src-renderer/(kit|state|registry)/", pathNot: test },
    to: { path: "^src-renderer/(app|features|graph)/" },
  },
  {
    name: "window-features-know-no-window",
    severity: "error",
    comment: "The window lists its features and shows what they register; they do not know who shows it.",
    from: { path: "^src-renderer/(features|graph)/", pathNot: test },
    to: { path: "^src-renderer/app/" },
  },
  {
    name: "main-without-renderer",
    severity: "error",
    comment: "The host knows no window.",
    from: { path: "^src-main/" },
    to: { path: "^src-renderer/" },
  },
  {
    name: "main-without-build",
    severity: "error",
    comment:
      "The product knows nothing of how it is built; what both read lies here. The pin of jj's release is the one thing " +
      "that setting up and the doctor share the fetching of.",
    from: { path: "^src-main/", pathNot: test },
    to: { path: "^build/", pathNot: "^build/setup/jj-release\\." },
  },
  {
    name: "react-flow-in-graph-only",
    severity: "error",
    comment: "The canvas library will change its major version; one folder will change with it.",
    from: { pathNot: "^src-renderer/graph/" },
    to: { path: "node_modules/@xyflow/" },
  },
  {
    name: "electron-in-its-folder-only",
    severity: "error",
    comment: "In plain Node, importing electron tries to download it.",
    from: { pathNot: "^src-main/electron/" },
    to: { path: "(^|/)node_modules/electron/|^electron$" },
  },
  {
    name: "programs-started-in-few-places",
    severity: "error",
    comment:
      "Programs are started by processes (for jj and git), tools and checks (sandboxed), an agent's runner in its sandbox, and the shells.",
    from: {
      path: "^src-main/",
      pathNot: [
        test,
        "^src-main/(processes|jj|tools|checks|transport|doctor|electron)/",
        "^src-main/external-agents/runner/",
        "^src-main/(headless|browser-window)\\.ts$",
      ],
    },
    to: { path: "node_modules/execa/|^(node:)?child_process$" },
  },
  {
    name: "sdk-in-model-only",
    severity: "error",
    comment: "A second provider must need a second driver and nothing else.",
    from: { path: "^src-main/", pathNot: [test, "^src-main/model/"] },
    to: { path: "node_modules/@anthropic-ai/" },
  },
  {
    name: "octokit-in-github-only",
    severity: "error",
    comment: "A forge is one file: whoever asks it has Hox's words for it.",
    from: { pathNot: "^src-main/forge/github\\.ts$" },
    to: { path: "node_modules/@octokit/" },
  },
  {
    name: "acp-in-the-runner-only",
    severity: "error",
    comment: "The protocol of agents will change its version; the runner will change with it.",
    from: { path: "^src-main/", pathNot: [test, "^src-main/external-agents/runner/"] },
    to: { path: "node_modules/@agentclientprotocol/" },
  },
  {
    name: "runner-alone",
    severity: "error",
    comment: "The runner is all that is mounted into the sandbox of an agent.",
    from: { path: "^src-main/external-agents/runner/" },
    to: { path: "^src-", pathNot: "^src-main/external-agents/runner/" },
  },
  {
    name: "capabilities-by-the-list-alone",
    severity: "error",
    comment:
      "A capability may import one below it, and circles.mjs finds those in a circle. Of the rest of the engine only what " +
      "puts it together, and an agent's iteration, may name one; everything else asks engine/features.ts.",
    from: {
      path: "^src-main/",
      pathNot: [test, "^src-main/engine/(features|agents)/", "^src-main/engine/[^/]+\\.ts$"],
    },
    to: { path: "^src-main/engine/features/" },
  },
  {
    name: "engine-without-paths",
    severity: "error",
    comment:
      "Where workers' files are is for workspaces to know: everybody else has a handle of workspace-interface.ts, so that " +
      "they may be on another machine. Named here are the repository's own folder, Hox's state, and what a rehearsal begins with.",
    from: {
      path: "^src-main/engine/",
      pathNot: [
        test,
        "^src-main/engine/(workspaces|moved-repository)/",
        "^src-main/engine/(engine|startup|project/kept-looks)\\.ts$",
      ],
    },
    to: { path: "^(node:)?(fs|fs/promises|path|os)$" },
  },
  {
    name: "folders-of-handles",
    severity: "error",
    comment:
      "What reads the folder of a handle, or makes one, lies in workspaces; a run is put together with it. A machine that " +
      "offers places has folders of its own.",
    from: {
      path: "^src-main/",
      pathNot: [
        test,
        "^src-main/engine/workspaces/",
        "^src-main/engine/run/run\\.ts$",
        "^src-main/places/machine/",
      ],
    },
    to: {
      path: "^src-main/(engine/workspaces/(workspaces|checkout|set-up-workspace|local-checkout|local-workspaces)\\.ts$|tools/workspace-files\\.ts$)",
      dependencyTypesNot: ["type-only"],
    },
  },
  {
    name: "resolvable",
    severity: "error",
    comment: "An import that leads nowhere fails at run time, on someone else's machine.",
    from: {},
    to: { couldNotResolve: true },
  },
  rootRule,
  ...arrowRules,
];

module.exports = {
  forbidden,
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      // What a package without a "main" begins with. Our own imports name their endings: Node adds none.
      extensions: [".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "browser", "node", "types", "default"],
    },
    moduleSystems: ["es6", "cjs"],
  },
};
