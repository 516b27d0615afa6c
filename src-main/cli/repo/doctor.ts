import { resolve } from "node:path";
import type { Leftovers } from "#shared/contract/commands/run.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { type AgentReport, agentStatus, loginExplanation } from "#shared/domain/worker/agent-report.ts";
import { openAppSettings } from "../../api/app-settings.ts";
import { diagnosticsText } from "../../api/diagnostics.ts";
import { folderView } from "../../api/folders.ts";
import { writeDefaultConfig } from "../../config/config.ts";
import { readSettings } from "../../config/settings.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { inspectAgents, loginAgents } from "../../doctor/agents.ts";
import { inspectParts } from "../../doctor/doctor.ts";
import { installJj } from "../../doctor/install-jj.ts";
import { initInGitRepository, initPlain } from "../../jj/init.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { listenRefusal } from "../../transport/listen-options.ts";
import { askForAddress, servingNotes } from "../../transport/serving-note.ts";
import { version } from "../../version.ts";
import {
  CommandError,
  type CommonOptions,
  cancellable,
  type ExitCode,
  exitCode,
  folderOf,
  invocationFolder,
  writeNewFile,
} from "../command-line.ts";
import { consent } from "../consent.ts";
import { print, printJson, printProgress, show } from "../output.ts";
import { withRepository } from "../repository.ts";

interface Options extends CommonOptions {
  readonly fetchJj?: boolean;
  readonly bundle?: string;
  readonly useLogin?: string;
  readonly keepLogin?: string;
}

/** One line per part. Without jj nothing works, so its absence is an error; the rest limits what is possible. */
export async function doctor(options: Options): Promise<ExitCode> {
  if (options.useLogin !== undefined) await setLogin(options.useLogin, true);
  if (options.keepLogin !== undefined) await setLogin(options.keepLogin, false);
  if (options.fetchJj && !(await fetchJj())) return exitCode.interrupted;
  const parts = await inspectParts();
  for (const part of parts) {
    if (options.json) {
      printJson(part);
      continue;
    }
    const line = [part.found ? "found" : "not found", part.version ?? "", part.path ?? "", part.note ?? ""];
    print(`${part.part.padEnd(14)} ${line.filter((word) => word !== "").join(", ")}`);
    if (part.remedy) print(`${" ".repeat(15)}${part.remedy}`);
  }
  for (const agent of await agentsFor(options)) {
    if (options.json) {
      printJson(agent);
      continue;
    }
    const { isReady, note, remedy } = agentStatus(agent);
    const line = [isReady ? "ready" : "optional", agent.version ?? "", agent.command ?? "", note ?? ""];
    print(`${shownLine(agent.label).padEnd(14)} ${line.filter((word) => word !== "").join(", ")}`);
    if (remedy) print(`${" ".repeat(15)}${remedy}`);
    if (agent.login) for (const text of loginLines(agent)) print(`${" ".repeat(15)}${text}`);
  }
  if (options.bundle !== undefined) await writeBundle(options.bundle, parts, options);
  return parts.some((part) => part.part === "jj" && !part.found) ? exitCode.error : exitCode.done;
}

/** Whether the user's login is there and may be used, and what that means. */
function loginLines({ name, login }: AgentReport): readonly string[] {
  if (login === null) return [];
  const { isFound, isOn, program } = login;
  const state = `login in ${program}: ${isFound ? "found" : "not found"}, ${isOn ? "used" : "not used"}`;
  return isOn
    ? [`${state}. Turn it off: hox doctor --keep-login ${name}`, loginExplanation(program)]
    : isFound
      ? [`${state}. Let it be used: hox doctor --use-login ${name}`, loginExplanation(program)]
      : [state];
}

/** Turns the use of a login on or off, for this user and all repositories. */
async function setLogin(name: string, isOn: boolean): Promise<void> {
  if (!loginAgents.includes(name))
    throw new CommandError(`Hox can't use a login for ${name}. It can for: ${loginAgents.join(", ")}.`);
  const settings = await openAppSettings(defaultStateFolder());
  await settings.change(({ subscriptions }) => {
    const others = subscriptions.filter((one) => one !== name);
    return { subscriptions: isOn ? [...others, name] : others };
  });
}

/** Agents of other makes, as the repository that the command is in names them. */
async function agentsFor(options: CommonOptions) {
  const stateFolder = defaultStateFolder();
  const view = await folderView(folderOf(options));
  const { settings } = await readSettings(stateFolder);
  return inspectAgents({ root: view.kind === "jj" ? view.root : null, stateFolder, settings });
}

/** One text file with what a bug report needs of this machine and, in a repository, of its runs. */
async function writeBundle(
  to: string,
  parts: Awaited<ReturnType<typeof inspectParts>>,
  options: CommonOptions,
): Promise<void> {
  const stateFolder = defaultStateFolder();
  const view = await folderView(folderOf(options));
  const { settings } = await readSettings(stateFolder);
  const { isolation } = await createSandbox({ allowUnsandboxed: settings.allowUnsandboxed });
  const root = view.kind === "jj" ? view.root : null;
  const text = await diagnosticsText({
    ...{ version: version(), stateFolder, root, parts, isolation, settings },
    secrets: [],
  });
  const file = await writeNewFile(to, text);
  if (options.json) printJson({ kind: "bundle", file });
  else print(`\nWrote ${to}. Read it before you attach it to a report.`);
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Ctrl-C cancels it, and leaves the old one. Returns whether it finished. */
const fetchJj = (): Promise<boolean> =>
  cancellable(async ({ signal }) => {
    try {
      const version = await installJj({
        signal,
        // On standard error, because standard output is for programs.
        onProgress: ({ received, total }) =>
          printProgress(
            `downloading jj: ${megabytes(received)}${total === null ? "" : ` of ${megabytes(total)}`}`,
          ),
      });
      printProgress(`downloaded jj ${version}`, { isLast: true });
      return true;
    } catch (error) {
      printProgress("", { isLast: true });
      if (!signal.aborted) throw error;
      return false;
    }
  });

interface ConfirmedOptions extends CommonOptions {
  readonly yes?: boolean;
}

export async function init(options: ConfirmedOptions): Promise<ExitCode> {
  const view = await folderView(folderOf(options));
  let made: "jj" | "beside-git" | null = null;
  let words: readonly string[] = [];
  switch (view.kind) {
    case "jj":
      break;
    case "git":
      if (!view.canAdopt) throw new CommandError(view.reason ?? `Can't make ${view.root} a jj repository.`);
      await consent(
        options,
        `${view.root} is a Git repository. Add jj to it? Git keeps working, and no file changes.`,
      );
      words = await initInGitRepository(view.root);
      made = "beside-git";
      break;
    case "plain":
      await consent(
        options,
        `${view.root} is not a repository. Create one? Its files become the first change.`,
      );
      words = await initPlain(view.root);
      made = "jj";
      break;
    default:
      throw new CommandError(view.reason, view.remedy);
  }
  const config = await writeDefaultConfig(view.root);
  if (options.json)
    printJson({
      kind: "init",
      root: view.root,
      made,
      config: config.path,
      written: config.written,
      notes: words,
    });
  else {
    if (made) print(`${view.root} is now a jj repository.`);
    for (const line of words) print(shownLine(line));
    print(
      config.written
        ? `Wrote ${config.path}, with a comment for every key.`
        : `${config.path} already exists; not changed.`,
    );
  }
  return exitCode.done;
}

interface PlaceOptions extends CommonOptions {
  readonly port?: number;
  readonly state?: string;
}

const stateFolderOf = ({ state }: PlaceOptions): string =>
  state === undefined ? defaultStateFolder() : resolve(invocationFolder(), state);

interface ServeOptions extends PlaceOptions {
  readonly takeOver?: boolean;
  readonly listen?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export async function serve(options: ServeOptions): Promise<ExitCode> {
  const { rehearsalPace, runHeadless } = await import("../../serving.ts");
  await runHeadless({
    port: options.port ?? 0,
    stateFolder: stateFolderOf(options),
    takeOver: options.takeOver ?? false,
    folder: options.repo === undefined ? null : resolve(invocationFolder(), options.repo),
    ...listensFor(options),
    window: false,
    rehearsalPace: rehearsalPace(),
    print: options.json ? (line) => printJson({ kind: "line", text: line.trim() }) : print,
  });
  return exitCode.done;
}

/** @throws CommandError where only a part of it was given */
function listensFor({ listen, tlsCert, tlsKey }: ServeOptions) {
  const path = (file: string): string => resolve(invocationFolder(), file);
  const refused = listenRefusal({ listen, tlsCert, tlsKey });
  if (refused) throw new CommandError(refused.message, refused.remedy, exitCode.usage);
  return {
    ...(listen === undefined ? {} : { listen }),
    ...(tlsCert === undefined || tlsKey === undefined
      ? {}
      : { tls: { cert: path(tlsCert), key: path(tlsKey) } }),
  };
}

/** Another address for a browser, from each Hox of this user that serves one. */
export async function address(options: PlaceOptions): Promise<ExitCode> {
  const notes = (await servingNotes(stateFolderOf(options))).filter(
    ({ port }) => options.port === undefined || port === options.port,
  );
  const asked = await Promise.all(
    notes.map(async (note) => ({ port: note.port, address: await askForAddress(note) })),
  );
  const found = asked.filter((one) => one.address !== null);
  if (found.length === 0)
    throw new CommandError(
      options.port === undefined
        ? "No `hox serve` is running here."
        : `No \`hox serve\` is running on port ${options.port}.`,
      "Start it with `hox serve`. If it keeps its state in another folder, add --state <folder>.",
    );
  for (const one of found) show(options, { kind: "address", ...one }, one.address ?? "");
  return exitCode.done;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

function leftoverLines({ workspaces, branches, messages, work }: Leftovers): readonly string[] {
  const changes = work.flatMap((run) => [
    `not landed, kept: ${shownLine(run.goal) || run.run}`,
    ...run.changes.map(({ changeId, title }) => `    ${changeId.slice(0, 12)} ${shownLine(title)}`),
  ]);
  return [
    "Left over from ended runs:",
    ...workspaces.map((folder) => `  workspace ${shownName(folder)}`),
    ...branches.map((name) => `  branch ${shownName(name)}`),
    ...(messages === 0 ? [] : [`  ${counted(messages, "message")}`]),
    ...changes.map((line) => `  ${line}`),
    ...(work.length === 0 ? [] : ["  To delete such work: jj abandon <change>"]),
    ...(workspaces.length + branches.length + messages + work.length === 0 ? ["  nothing"] : []),
  ];
}

/** Removes what runs that are over have left. What jj cannot record stays, and so does work; both are named. */
export async function clean(options: ConfirmedOptions): Promise<ExitCode> {
  const { withInactiveEngine } = await import("../run/run-client.ts");
  return withRepository(options, (repository) =>
    withInactiveEngine(repository, "Run the cleanup there, or close it and try again.", async (engine) => {
      const left = await engine.execute("run.leftovers");
      show(options, { kind: "leftovers", ...left }, leftoverLines(left));
      if (left.workspaces.length + left.branches.length + left.messages > 0)
        await consent(
          options,
          "Remove these workspaces, branches and messages? The work stays in its changes, and jj's operation log keeps the rest.",
        );
      const { removed, kept, branches, messages } = await engine.execute("run.cleanUp");
      if (options.json) printJson({ kind: "cleaned", removed, kept, branches, messages });
      else {
        const gone = [
          counted(removed.length, "workspace"),
          counted(branches.length, "branch", "branches"),
          counted(messages, "message"),
        ];
        print(`Removed: ${gone.join(", ")}.`);
        for (const { folder, reason, remedy } of kept)
          print(`stays: ${shownName(folder)}\n  ${shownLine(reason)} ${shownLine(remedy)}`);
      }
      return exitCode.done;
    }),
  );
}
