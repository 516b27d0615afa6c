/** What a bug report needs, as text. It holds no file contents, prompts or keys, and no names or folders of the user. */
import { cpus, release, version as systemVersion, totalmem } from "node:os";
import type { Settings } from "#shared/contract/settings.ts";
import type { IsolationView, ToolView } from "#shared/contract/views/app.ts";
import { agentStatus } from "#shared/domain/worker/agent-report.ts";
import { readConfigFile } from "../config/config.ts";
import { effectiveConfig } from "../config/effective-config.ts";
import { repositoryStateFolder } from "../config/state-folder.ts";
import { readTrustedSettings } from "../config/trusted-settings.ts";
import { errorText, readLogTail } from "../log/log.ts";
import { textForOthers } from "../replay/export-recording.ts";
import { withJournalOrNone } from "../replay/open-recording-file.ts";
import { createRunLists } from "../replay/run-list.ts";

export interface DiagnosticsSource {
  readonly version: string;
  readonly stateFolder: string;
  /** Root of the repository that it is about, or null. */
  readonly root: string | null;
  readonly parts: readonly ToolView[];
  readonly isolation: IsolationView;
  readonly settings: Settings;
  /** Keys that the environment does not hold. */
  readonly secrets: readonly string[];
}

const maxRuns = 20;
/** With the rest it fits into one issue of GitHub. */
const maxLogLines = 300;

export async function diagnosticsText(source: DiagnosticsSource): Promise<string> {
  const { root, stateFolder, secrets } = source;
  const sections = [
    ["System", () => systemLines(source)],
    ["Programs", () => source.parts.map(partLine)],
    ["Agents of other makes", () => agentLines(source)],
    [
      "Sandbox",
      () => [source.isolation.description, `allowed without a sandbox: ${source.settings.allowUnsandboxed}`],
    ],
    ["Settings that differ from the defaults", () => settingLines(source)],
    ["Runs", () => runLines(source)],
    ["Log", () => readLogTail(stateFolder, maxLogLines)],
  ] as const;
  const texts: string[] = [];
  for (const [title, lines] of sections) texts.push(`## ${title}\n\n${await sectionText(lines)}\n`);
  const about = { repository: root === null ? null : { root }, stateFolder, secrets };
  return textForOthers(`# Hox diagnostics\n\n${texts.join("\n")}`, about);
}

async function agentLines({ root, stateFolder, settings }: DiagnosticsSource): Promise<readonly string[]> {
  const { inspectAgents } = await import("../doctor/agents.ts");
  return (await inspectAgents({ root, stateFolder, settings })).map((agent) =>
    [`${agent.name}:`, agent.version ?? "", agentStatus(agent).note ?? "ready"].filter(Boolean).join(" "),
  );
}

/** A damaged file must not keep the rest from a report. */
async function sectionText(lines: () => readonly string[] | Promise<readonly string[]>): Promise<string> {
  try {
    const found = await lines();
    return found.length === 0 ? "none" : found.join("\n");
  } catch (error) {
    return `could not be read: ${errorText(error)}`;
  }
}

const systemLines = ({ version }: DiagnosticsSource): readonly string[] => [
  `Hox ${version}`,
  `${process.platform} ${process.arch} ${release()} (${systemVersion()})`,
  `Node ${process.versions.node}${process.versions.electron ? `, Electron ${process.versions.electron}` : ""}`,
  `${cpus().length} processors, ${(totalmem() / 2 ** 30).toFixed(1)} GB memory`,
  new Date().toISOString(),
];

const partLine = ({ part, found, version, note, remedy }: ToolView): string =>
  `${part}: ${[found ? "found" : "not found", version, note, remedy].filter((text) => text).join("; ")}`;

async function settingLines({ root, stateFolder, settings }: DiagnosticsSource): Promise<readonly string[]> {
  const own = root === null ? null : readConfigFile(root);
  const trusted =
    root === null
      ? { trusted: [], ignored: [] }
      : await readTrustedSettings(repositoryStateFolder(stateFolder, root));
  return effectiveConfig(own, settings, trusted)
    .filter(({ source }) => source.kind !== "default")
    .map(({ key, value, source }) => `${key} = ${shapeOf(value)} (${source.kind})`);
}

/** A text of the user's may hold anything: only what is one plain word is shown. */
function shapeOf(value: unknown): string {
  if (typeof value === "string") return /^[\w.-]{0,40}$/u.test(value) ? `"${value}"` : "(text)";
  if (Array.isArray(value)) return `(${value.length} items)`;
  return typeof value === "object" && value !== null ? "(table)" : String(value);
}

function runLines({ root, stateFolder }: DiagnosticsSource): readonly string[] {
  if (root === null) return [];
  const folder = repositoryStateFolder(stateFolder, root);
  const found = withJournalOrNone(folder, (journal) => createRunLists()(folder, journal, maxRuns)) ?? [];
  return found.map((run) =>
    [
      run.id,
      new Date(run.startedAt).toISOString(),
      run.endedAt === null ? `${run.stage}, ${run.waiting} waiting` : run.stage,
      `${run.agents.length} agents`,
      `${run.tasksDone}/${run.tasks} tasks`,
      `${run.tokens} tokens`,
      `${run.conflicts} conflicts`,
      `${run.questions} questions`,
      `${run.repairRounds} repairs`,
      run.rehearsal === null ? run.model : `rehearsal ${run.rehearsal}`,
    ].join(", "),
  );
}
