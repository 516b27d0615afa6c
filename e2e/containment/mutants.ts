// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is code that is looked for in files
import { agentMutants } from "./agent-mutants.ts";
import { forgeMutants } from "./forge-mutants.ts";
import { workerMutants } from "./worker-mutants.ts";

/** One hole in the host's code, and the cases that have to notice it. */
export interface Mutant {
  readonly name: string;
  /** From the root of the project. */
  readonly file: string;
  /** In the file exactly once. */
  readonly code: string;
  readonly hole: string;
  /** Each of them has to fail. */
  readonly cases: readonly string[];
  /** Default: once. A race needs more. */
  readonly tries?: number;
  /** It shows in what an honest agent does: elsewhere a case that breaks, or does not run, has noticed nothing. */
  readonly breaks?: boolean;
}

const tools = "src-main/tools";
const sandbox = `${tools}/sandbox`;

/** At least one for each family. They are made while the code is loaded: nothing in Hox can switch one on. */
export const mutants: readonly Mutant[] = [
  {
    name: "file-tools-fail-always",
    file: `${tools}/workspace-place.ts`,
    code: "root ??= realpath(workspace);",
    hole: 'throw new Error("no file tool works");',
    cases: ["tool-asks-above-the-workspace", "tool-writes-a-protected-file", "tools-and-a-pipe"],
    breaks: true,
  },
  {
    name: "paths-may-lead-out",
    file: `${tools}/workspace-files.ts`,
    code: "readText: (path) =>",
    hole: 'readText: async (path) => ({ path, text: (await import("node:fs")).readFileSync(`${await realRoot()}/${path}`, "utf8"), hash: "" }), before: (path) =>',
    cases: ["tool-asks-above-the-workspace", "tool-follows-a-relative-link", "race-against-read"],
    tries: 6,
  },
  {
    name: "links-are-followed-when-deleted",
    file: `${tools}/workspace-place.ts`,
    code: "!(isEntry && further.length === 0)",
    hole: "true",
    cases: ["a-link-that-is-deleted-or-moved-is-itself"],
  },
  {
    name: "commits-are-not-judged",
    file: "src-main/engine/features/environment/protected-files/feature.ts",
    code: "if (touched.length === 0 ||",
    hole: "if (true ||",
    cases: ["protected-files-that-no-command-has-written"],
  },
  {
    name: "nothing-is-put-back",
    file: `${sandbox}/command-environment.ts`,
    code: "await restoreGuarded(guardedWorkspace(prepared), guarded);",
    hole: "{ restored: [], unmended: [] };",
    cases: ["new-protected-files", "plants-as-a-link", "an-ignore-file-that-hides-itself-in-a-folder"],
  },
  {
    name: "ignore-rules-of-the-command-count",
    file: `${sandbox}/guarded-paths.ts`,
    code: "findGuarded(workspace, before.rules)",
    hole: "findGuarded(workspace, null)",
    cases: ["an-ignore-file-that-hides-itself-in-a-folder"],
  },
  {
    name: "protected-files-can-be-written",
    file: `${sandbox}/bubblewrap.ts`,
    code: 'args.push("--ro-bind", `${workspace}/${path}`, `${view}/${path}`)',
    hole: 'args.push("--bind", `${workspace}/${path}`, `${view}/${path}`)',
    cases: ["write-over-a-protected-file", "the-pointer-of-the-workspace"],
  },
  {
    name: "mounts-are-not-compared",
    file: `${sandbox}/run-in-bubblewrap.ts`,
    code: "if (identityOf(await lstat(path)) === one.identity) continue;",
    hole: "continue;",
    cases: ["a-workspace-that-is-exchanged-while-it-is-mounted"],
    tries: 6,
  },
  {
    name: "nobody-waits-for-the-end-of-the-namespace",
    file: `${sandbox}/run-process.ts`,
    code: "if (init && !(await untilNamespaceGone(init, patienceMs)))",
    hole: "if (false)",
    cases: ["race-at-exit"],
    tries: 25,
  },
  {
    name: "commands-outlive-the-host",
    file: `${sandbox}/bubblewrap.ts`,
    code: 'if (!options.outlivesHost) args.push("--die-with-parent");',
    hole: "",
    cases: ["a-host-that-is-killed"],
  },
  {
    name: "processes-are-not-counted",
    file: `${sandbox}/run-in-bubblewrap.ts`,
    code: "const { processes, threads } = processTree(init);",
    hole: "const processes = [], threads = 0;",
    cases: ["fork-bomb-that-starts-slowly", "bomb-of-threads"],
  },
  {
    name: "memory-is-not-counted",
    file: `${sandbox}/run-in-bubblewrap.ts`,
    code: "if (held + inSockets < kilobytes)",
    hole: "if (true)",
    cases: ["empty-files-in-memory"],
  },
  {
    name: "one-user-shares-all-watches",
    file: `${sandbox}/limits.ts`,
    code: "const part = 1 / 8;",
    hole: "const part = 1e9;",
    cases: ["watches-for-files"],
  },
  {
    name: "no-filter-of-system-calls",
    file: `${sandbox}/run-in-bubblewrap.ts`,
    code: "prepared.probed?.hasFilter ? seccompFilter() : null",
    hole: "null",
    cases: ["memory-files", "keys", "socket-of-the-family-vsock"],
  },
  {
    name: "descriptors-are-inherited",
    file: `${sandbox}/run-process.ts`,
    code: "if (inherited.length === 0) return [];",
    hole: "return [];",
    cases: ["descriptor-that-the-host-was-started-with"],
  },
  {
    name: "the-environment-is-inherited",
    file: `${sandbox}/bubblewrap.ts`,
    code: '"--new-session", "--clearenv"',
    hole: '"--new-session", ...Object.entries(process.env).flatMap(([name, value]) => ["--setenv", name, value ?? ""])',
    cases: ["environment-of-the-command"],
  },
  {
    name: "nothing-is-redacted",
    file: `${tools}/redact.ts`,
    code: "needles.reduce((left, needle)",
    hole: "[].reduce((left, needle)",
    cases: ["secret-printed-to-both-outputs", "secret-printed-between-escapes"],
  },
  {
    name: "the-network-is-shared",
    file: `${sandbox}/bubblewrap.ts`,
    code: '"--new-session", "--clearenv"',
    // Not where the sandbox is probed: there it would be noticed, and no command would run.
    hole: '"--new-session", "--clearenv", ...(workspace.includes("hox-containment-") ? ["--share-net"] : [])',
    cases: ["tcp-to-this-machine", "abstract-unix-socket"],
  },
  {
    name: "the-proxy-asks-no-list",
    file: `${tools}/network/route.ts`,
    code: "if (isHostAllowed(allowed, target.host, target.port)) return;",
    hole: "if (true) return;",
    cases: ["a-host-that-is-not-listed", "names-that-only-look-listed", "another-port-of-a-listed-host"],
  },
  {
    name: "names-may-lead-to-this-machine",
    file: `${tools}/network/route.ts`,
    code: "isPublicAddress(address, family) || isListed(address)",
    hole: "true",
    cases: ["a-listed-name-that-leads-to-this-machine"],
  },
  {
    name: "host-headers-are-not-compared",
    file: `${tools}/network/forward-request.ts`,
    code: "if (hosts.length === 1 && isSame) return;",
    hole: "return;",
    cases: ["a-host-header-that-names-another"],
  },
  {
    name: "tunnels-are-not-looked-into",
    file: `${tools}/network/filtering-proxy.ts`,
    code: 'hello.kind === "not-tls" ? notTls(target, bytes) : refusalOf(hello, target, context.route.setting)',
    hole: "null",
    cases: ["a-tunnel-that-names-another-host-inside"],
  },
  {
    name: "pipes-are-waited-for",
    file: "src-main/disk/folder.ts",
    code: 'if (!before.isFile()) return { unreadable: "irregular", size: before.size };',
    hole: 'return { bytes: (await import("node:fs")).readFileSync(this.#at(name)) };',
    cases: ["a-pipe-as-package-json"],
  },
  {
    name: "git-takes-the-settings-of-a-folder",
    file: "src-main/jj/process/git-process.ts",
    code: "...settingsEnvironment([...takeBackSettings(settings), ...lfs]),",
    hole: "",
    cases: ["landing-in-a-git-folder-of-somebody-else"],
  },
  {
    name: "programs-get-the-whole-environment",
    file: "src-main/config/child-environment.ts",
    code: "if (value !== undefined && isWanted(name.toUpperCase()))",
    hole: "if (value !== undefined)",
    cases: ["the-key-in-the-environment-of-git"],
  },
  {
    name: "a-tool-takes-what-it-does-not-know",
    file: `${tools}/agent-tools.ts`,
    code: "z.strictObject({\n    from:",
    hole: "z.looseObject({\n    from:",
    cases: ["a-request-to-leave-the-sandbox"],
  },
  {
    name: "settings-of-a-repository-count-without-trust",
    file: "src-main/config/loosening.ts",
    code: ".filter(({ text }) => !isTrusted(text));",
    hole: ".filter(() => false);",
    cases: ["gates-that-open-by-themselves", "no-file-is-protected", "hosts-that-nobody-listed"],
  },
  {
    name: "links-of-a-repository-are-followed",
    file: "src-main/disk/repository-files.ts",
    code: "if (real === top ||",
    hole: "if (true ||",
    cases: ["a-link-out-as-purpose-md", "a-folder-outside-as-hox-templates-for-written-template"],
  },
  {
    name: "texts-are-parsed-on-the-hosts-thread",
    file: "src-main/worker-thread/run-in-worker.ts",
    code: "const hasDefaultMemory = maxMemoryMb === defaultMemoryMb;",
    hole: "const until = performance.now() + 8_000; while (performance.now() < until); const hasDefaultMemory = maxMemoryMb === defaultMemoryMb;",
    cases: ["a-makefile-of-one-line"],
  },
  {
    name: "ids-of-sessions-are-not-checked",
    file: "src-main/sessions/claude-sessions.ts",
    code: "/^[A-Za-z0-9][\\w.:-]{0,199}$/u.test(id)",
    hole: 'id !== ""',
    cases: ["ids-of-sessions-that-are-options"],
  },
  {
    name: "recordings-unpack-without-end",
    file: "src-main/replay/recording.ts",
    code: "const maxRecordingSize = 256 * 1024 * 1024;",
    hole: "const maxRecordingSize = 2 ** 31;",
    cases: ["a-recording-of-one-line"],
  },
  {
    name: "archives-are-names-of-packages",
    file: "src-shared/domain/dependencies/request.ts",
    code: "|| isArchive(name))",
    hole: ")",
    cases: ["names-that-are-files"],
  },
  {
    name: "lists-of-requirements-are-not-read",
    file: "src-shared/domain/dependencies/python-project.ts",
    code: "if (wrong !== null)",
    hole: "if (false)",
    cases: ["requirements-that-run-code-when-installed"],
  },
  {
    name: "pages-of-other-sites-are-answered",
    file: "src-main/transport/entrance.ts",
    code: "if (headers.host === undefined || !names.includes(headers.host))",
    hole: "if (false)",
    cases: ["pages-of-other-sites-that-lead-to-this-machine"],
  },
  {
    name: "requests-of-other-pages-are-answered",
    file: "src-main/transport/entrance.ts",
    code: "if (headers.origin !== `http://${name}`)",
    hole: "if (false)",
    cases: ["requests-of-other-pages"],
  },
  {
    name: "links-beside-the-page-are-served",
    file: "src-main/transport/static-files.ts",
    code: "if (!file.startsWith(root + sep)) return null;",
    hole: "",
    cases: ["files-beside-the-page"],
  },
  {
    name: "old-connections-are-kept",
    file: "src-main/transport/local-endpoint.ts",
    code: "if (strangers.size > maxStrangers) oldest?.destroy();",
    hole: "if (strangers.size > maxStrangers) socket.destroy(); void oldest;",
    cases: ["half-requests-of-another-user"],
  },
  ...agentMutants,
  ...forgeMutants,
  ...workerMutants,
];
