/** What the host reads of a folder from someone else, by name. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folderReader, readAgentFiles } from "../../src-main/agent-files/read-agent-files.ts";
import { foundChecks } from "../../src-main/checks/found-checks.ts";
import { purposeText } from "../../src-main/config/archangels.ts";
import { loadConfig } from "../../src-main/config/config.ts";
import { readTemplates, writeTemplate } from "../../src-main/config/goal-templates.ts";
import { defaultSettings } from "../../src-main/config/settings.ts";
import { inspectFolder } from "../../src-main/jj/inspect-folder.ts";
import { readGitCheckout } from "../../src-main/jj/process/git-checkout.ts";
import { openRecordingFile } from "../../src-main/replay/open-recording-file.ts";
import { claudeSessions } from "../../src-main/sessions/claude-sessions.ts";
import { gitBranchOf } from "../../src-main/sessions/find-sessions.ts";
import { readNotification } from "../../src-main/sessions/notification.ts";
import { runInWorker } from "../../src-main/worker-thread/run-in-worker.ts";

/** Larger than any file of these cases. */
const bytesOf = (folder: string, name: string): Buffer => readFileSync(join(folder, name));

export const readers = {
  settings: (folder: string) =>
    loadConfig({ root: folder, stateFolder: join(dirname(folder), "state"), settings: defaultSettings }),
  checks: (folder: string) => foundChecks([folder]),
  agents: (folder: string) => readAgentFiles(folderReader(folder, ".hox/agents"), ".hox/agents"),
  templates: (folder: string) => readTemplates(folder),
  "written template": (folder: string) => writeTemplate(folder, { name: "planted", text: "planted" }),
  purpose: (folder: string) => purposeText({ kind: "file", path: "purpose.md" }, folder),
  branch: (folder: string) => [gitBranchOf(folder), readGitCheckout(folder)],
  look: (folder: string) => inspectFolder(folder),
  recording: (folder: string) => openRecordingFile(bytesOf(folder, "a.hoxrun")),
  transcripts: (folder: string) => claudeSessions([folder], 0, join(folder, "claude")),
  notification: (folder: string) =>
    readNotification(bytesOf(folder, "notification.json").toString("utf8"), 1, folder),
  "report of a check": (folder: string) =>
    runInWorker(
      "readReport",
      {
        output: bytesOf(folder, "output.txt").toString("utf8"),
        workspace: folder,
        command: "make test",
        exitCode: 1,
      },
      { what: "the output of a check" },
    ),
} satisfies Readonly<Record<string, (folder: string) => unknown>>;

export type ReaderName = keyof typeof readers;
