import { implement } from "@orpc/server";
import { contract } from "#shared/contract/contract.ts";
import { changeDetails, changeDiff, previewRebase } from "./change-procedures.ts";
import { listFolders } from "./folders.ts";
import { filterGraph } from "./graph-filter.ts";
import type { HostState } from "./host-state.ts";
import { present } from "./present.ts";
import { toContractError } from "./refusal.ts";
import { copyExample, otherCount } from "./rehearsals.ts";

/** The contract, implemented on one host's state. */
export function createRouter(state: HostState) {
  const hox = implement(contract).use(async ({ next }) => {
    try {
      return await next();
    } catch (error) {
      throw toContractError(error);
    }
  });
  return hox.router({
    watch: hox.watch.handler(({ input, signal }) => state.log.read(input.since, signal)),
    folder: {
      inspect: hox.folder.inspect.handler(({ input }) => state.inspect(input.path)),
      list: hox.folder.list.handler(({ input }) => listFolders(input.path)),
      pick: hox.folder.pick.handler(() => state.pickFolder()),
    },
    repository: {
      open: hox.repository.open.handler(({ input }) => state.open(input.path)),
      adopt: hox.repository.adopt.handler(({ input }) => state.adopt(input.path)),
      takeOver: hox.repository.takeOver.handler(() => state.takeOver()),
      close: hox.repository.close.handler(() => state.closeRepository()),
      forgetRecent: hox.repository.forgetRecent.handler(async ({ input }) => {
        await state.recent.forget(input.path);
        state.publishApp();
      }),
    },
    graph: {
      filter: hox.graph.filter.handler(({ input }) => filterGraph(state, input.revset)),
    },
    change: {
      details: hox.change.details.handler(({ input }) => changeDetails(state, input.commitId)),
      diff: hox.change.diff.handler(({ input }) => changeDiff(state, input.commitId, input.paths)),
      describe: hox.change.describe.handler(({ input }) =>
        state.engine().describe(input.changeId, input.description),
      ),
      setMetadata: hox.change.setMetadata.handler(({ input }) =>
        state.engine().setMetadata(input.changeIds, present(input.patch)),
      ),
      previewRebase: hox.change.previewRebase.handler(({ input }) =>
        previewRebase(state, input.changeId, input.onto),
      ),
      rebase: hox.change.rebase.handler(({ input }) => state.engine().rebase(input.changeId, input.onto)),
      abandon: hox.change.abandon.handler(({ input }) => state.engine().abandon(input.changeId)),
    },
    queue: {
      move: hox.queue.move.handler(({ input }) => state.engine().moveInQueue(input)),
    },
    operation: {
      revert: hox.operation.revert.handler(({ input }) => state.engine().revertOperation(input.operation)),
    },
    run: {
      state: hox.run.state.handler(() => {
        const { run, inbox } = state.engine().state();
        return { run, inbox };
      }),
      limitsToStartWith: hox.run.limitsToStartWith.handler(() => state.engine().limitsToStartWith()),
      start: hox.run.start.handler(({ input }) => {
        const refused = otherCount(state.parts.rehearsals, input);
        if (refused) throw refused;
        return state.engine().startRun(input);
      }),
      pause: hox.run.pause.handler(() => state.engine().pause()),
      resume: hox.run.resume.handler(() => state.engine().resume()),
      stop: hox.run.stop.handler(() => state.engine().stop()),
      extendBudget: hox.run.extendBudget.handler(({ input }) => state.engine().extendBudget(input)),
      setLimits: hox.run.setLimits.handler(({ input }) => state.engine().setLimits(present(input))),
      setWorkerLimits: hox.run.setWorkerLimits.handler(({ input }) =>
        state.engine().setWorkerLimits(present(input)),
      ),
      previewPush: hox.run.previewPush.handler(({ input }) =>
        state.opened().repository.previewPush(input.bookmark),
      ),
      push: hox.run.push.handler(({ input }) => state.engine().push(input.bookmark, input.moves)),
      ground: hox.run.ground.handler(() => state.engine().ground()),
      previewUndoLanding: hox.run.previewUndoLanding.handler(() => state.engine().previewUndoLanding()),
      undoLanding: hox.run.undoLanding.handler(() => state.engine().undoLanding()),
      leftovers: hox.run.leftovers.handler(() => state.engine().leftovers()),
      cleanUp: hox.run.cleanUp.handler(() => state.engine().cleanUp()),
      conversation: hox.run.conversation.handler(({ input }) =>
        state.engine().conversation(input.run, input.worker),
      ),
      pauseWorker: hox.run.pauseWorker.handler(({ input }) => state.engine().pauseWorker(input.worker)),
      resumeWorker: hox.run.resumeWorker.handler(({ input }) => state.engine().resumeWorker(input.worker)),
      retryWorker: hox.run.retryWorker.handler(({ input }) => state.engine().retryWorker(input.worker)),
      messageWorker: hox.run.messageWorker.handler(({ input }) =>
        state.engine().messageWorker(input.worker, input.text),
      ),
      reassignWorker: hox.run.reassignWorker.handler(({ input }) => state.engine().reassignWorker(input)),
      takeOver: hox.run.takeOver.handler(({ input }) => state.engine().takeOver(input.worker)),
      lookAtHands: hox.run.lookAtHands.handler(({ input }) => state.engine().lookAtHands(input.worker)),
      showHands: hox.run.showHands.handler(({ input }) => state.showHands(input.worker)),
      giveBack: hox.run.giveBack.handler(({ input }) => state.engine().giveBack(input.worker, input.words)),
      finishByHand: hox.run.finishByHand.handler(({ input }) =>
        state.engine().finishByHand(input.worker, input.summary),
      ),
      previewUndo: hox.run.previewUndo.handler(({ input }) => state.engine().previewUndo(input.worker)),
      undoWorker: hox.run.undoWorker.handler(({ input }) => state.engine().undoWorker(input)),
    },
    plan: {
      check: hox.plan.check.handler(({ input }) => state.engine().checkPlan(input)),
      ceremony: hox.plan.ceremony.handler(({ input }) => state.engine().ceremonyOf(input)),
      amend: hox.plan.amend.handler(({ input }) =>
        state.engine().amendPlan({
          orchestrator: input.orchestrator,
          edits: input.edits.map((edit) =>
            edit.kind === "change" ? { ...edit, patch: present(edit.patch) } : edit,
          ),
        }),
      ),
    },
    inbox: {
      answer: hox.inbox.answer.handler(({ input }) =>
        state.engine().answer({ ...input, decision: present(input.decision) }),
      ),
    },
    rehearsal: {
      start: hox.rehearsal.start.handler(async ({ input }) => {
        const path = await copyExample(state.parts.rehearsals, state.stateFolder, input.name);
        await state.open(path);
        await state.engine().startRun({
          goal: state.parts.rehearsals.goal(input.name),
          orchestrators: null,
          onto: null,
          rehearsal: input.name,
          model: null,
        });
        return { path };
      }),
    },
    settings: {
      change: hox.settings.change.handler(({ input }) => state.changeSettings(present(input))),
      setKey: hox.settings.setKey.handler(async ({ input }) => {
        await state.key.set(input.key);
        state.publishApp();
      }),
      clearKey: hox.settings.clearKey.handler(async () => {
        await state.key.clear();
        state.publishApp();
      }),
    },
    doctor: hox.doctor.handler(() => state.inspectTools()),
    tools: {
      fetchJj: hox.tools.fetchJj.handler(() => state.jjFetch.start()),
      cancelFetch: hox.tools.cancelFetch.handler(() => state.jjFetch.cancel()),
    },
  });
}

export type HostRouter = ReturnType<typeof createRouter>;
