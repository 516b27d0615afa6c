import type { CommandHandlers, HostCommandName } from "#shared/contract/commands.ts";
import { entriesOfFolder, filesWithText } from "#shared/domain/files/tree-entries.ts";
import { repositoryStateFolder } from "../config/state-folder.ts";
import { openRecording, withJournalOrNone } from "../replay/open-recording.ts";
import { readRunReport } from "../replay/read-run-report.ts";
import { createReplay } from "../replay/replay.ts";
import { createRunLists } from "../replay/run-list.ts";
import { operationsOfTime } from "../replay/run-operations.ts";
import { verifyKey } from "./api-key.ts";
import { changeDetails, changeDiff, fileSides, previewRebase } from "./change-procedures.ts";
import { conflictView } from "./conflict-view.ts";
import { listFolders } from "./folders.ts";
import { filterGraph } from "./graph-filter.ts";
import type { HostState } from "./host-state.ts";
import { openerPrograms, openIn } from "./open-in/open-in.ts";
import { operationSubjects } from "./operation-subjects.ts";
import { otherCount } from "./rehearsals.ts";
import { createReplays, exportedRun, type ReplaySource } from "./replays.ts";
import { createRehearsalStarts } from "./start-rehearsal.ts";
import { createUploads } from "./uploads.ts";

/** What the host does itself, and what it looks at before the engine starts a run. */
export const hostCommands = (state: HostState): CommandHandlers<HostCommandName | "run.start"> => ({
  "folder.inspect": ({ path }) => state.inspect(path),
  "folder.list": ({ path }) => listFolders(path),
  "folder.pick": () => state.pickFolder(),

  async "repository.open"({ path }) {
    await state.open(path);
  },
  async "repository.adopt"({ path }) {
    await state.adopt(path);
  },
  "repository.takeOver": () => state.takeOver(),
  "repository.close": (...[of]) => state.closeRepository(of?.path),
  async "repository.forgetRecent"({ path }) {
    await state.recent.forget(path);
    state.publishApp();
  },
  async "repository.restoreRecent"({ path }) {
    await state.recent.restore(path);
    state.publishApp();
  },

  "graph.filter": ({ revset }) => filterGraph(state, revset),
  "change.details": ({ commitId }) => changeDetails(state, commitId),
  "change.diff": ({ commitId, paths }) => changeDiff(state, commitId, paths),
  "change.files": ({ commitId }) => state.opened().repository.fileStats(commitId),
  async "change.folder"({ commitId, folder, text }) {
    const paths = await state.opened().repository.listFiles(commitId);
    return text === "" ? entriesOfFolder(paths, folder) : filesWithText(paths, text);
  },
  "change.fileSides": (input) => fileSides(state, input),
  "change.conflict": ({ commitId, path }) => conflictView(state, commitId, path),
  "change.previewRebase": ({ changeId, onto }) => previewRebase(state, changeId, onto),

  "operation.subjects": ({ commits }) => operationSubjects(state.opened().repository, commits),

  "run.state"() {
    const { run, inbox, otherRuns } = state.engine().state();
    return { run, inbox, otherRuns: otherRuns.map((one) => one.run) };
  },
  "run.start"(input) {
    const refused = otherCount(state.parts.rehearsals, input);
    if (refused) throw refused;
    return state.engine().execute("run.start", input);
  },
  ...recordedCommandsOf(state),
  "run.previewPush": ({ bookmark }) => state.opened().repository.previewPush(bookmark),
  "openIn.programs": () => openerPrograms(state.parts.desktop),
  // The router says where the window is; whoever comes by another way is nowhere near.
  "openIn.open": (input) => openIn(state, input, false),

  ...rehearsalCommandsOf(state),
  "rehearsal.setTempo": ({ tempo }) => state.setTempo(tempo),

  "settings.change": (patch) => state.changeSettings(patch),
  async "settings.setKey"({ key }) {
    await state.key.set(key, async (given) =>
      verifyKey(await state.parts.createDriver({ apiKey: given, baseUrl: state.key.baseUrl })),
    );
    state.publishApp();
  },
  async "settings.clearKey"() {
    await state.key.clear();
    state.publishApp();
  },

  doctor: () => state.inspectTools(),
  async "tools.fetchJj"() {
    await state.jjFetch.start();
  },
  async "tools.cancelFetch"() {
    await state.jjFetch.cancel();
  },
});

type RecordedCommandName = Extract<HostCommandName, `replay.${string}` | `runs.${string}`>;

/** Recorded runs are read whoever works on the repository, also where this host only looks on. */
function recordedCommandsOf(state: HostState): CommandHandlers<RecordedCommandName> {
  const replays = createReplays();
  const uploads = createUploads();
  const runList = createRunLists();
  const source = (): ReplaySource => {
    const { repository } = state.opened();
    return {
      repository,
      stateFolder: repositoryStateFolder(state.stateFolder, repository.root),
      secrets: state.key.secrets(),
      version: state.app().version,
    };
  };
  return {
    "replay.open": ({ run }) => replays.open(source(), run),
    "replay.beginUpload": ({ name, bytes }) => ({ upload: uploads.begin(name, bytes) }),
    "replay.upload": ({ upload, content }) => uploads.add(upload, Buffer.from(content, "base64")),
    "replay.openFile"({ upload }) {
      const { name, content } = uploads.take(upload);
      return replays.openFile(name, content);
    },
    "replay.frame": ({ replay, at, has }) => replays.frame(replay, at, has),
    "replay.graph": ({ replay, operation }) => replays.graph(replay, operation),
    "replay.conversation": ({ replay, worker }) => replays.conversation(replay, worker),
    "replay.operations": ({ from, to }) => operationsOfTime(source().repository, from, to),
    "replay.compare": ({ replay, from, to }) => replays.compare(replay, from, to),
    "replay.close": ({ replay }) => replays.close(replay),
    "replay.export": ({ run }) => exportedRun(source(), run),
    "runs.list"({ runs }) {
      const { stateFolder } = source();
      return withJournalOrNone(stateFolder, (journal) => runList(stateFolder, journal, runs)) ?? [];
    },
    "runs.ending"({ run }) {
      const { viewsAt, to } = createReplay(openRecording(source().stateFolder, run));
      const { run: view, timeline } = viewsAt(to);
      return { run: view, timeline };
    },
    "runs.report"({ run }) {
      const { repository, stateFolder } = source();
      return readRunReport(repository, stateFolder, run);
    },
  };
}

function rehearsalCommandsOf(
  state: HostState,
): Pick<CommandHandlers<HostCommandName>, "rehearsal.start" | "rehearsal.cancel"> {
  const starts = createRehearsalStarts(state);
  return {
    async "rehearsal.start"({ name }) {
      return { path: await starts.start(name) };
    },
    "rehearsal.cancel": ({ name }) => starts.cancel(name),
  };
}
