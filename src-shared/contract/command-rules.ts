/** Who may give a command on a host that several people share, and how it is named in a list of what they did. */
import type { PersonRole } from "../domain/people/role.ts";
import type { CommandName } from "./commands.ts";

export interface CommandRule {
  /** The least role. `api/authorize.ts` asks more of some inputs: a higher limit, a permission of the host. */
  readonly least: PersonRole;
  /** As in "Ann …". Null: it only reads, and nothing is written down of it. */
  readonly did: string | null;
}

const watch: CommandRule = { least: "watch", did: null };
const steer = (did: string): CommandRule => ({ least: "steer", did });
const approve = (did: string): CommandRule => ({ least: "approve", did });
const own = (did: string): CommandRule => ({ least: "own", did });
/** It changes nothing, and what it shows or costs is not for everybody. */
const reads = (least: PersonRole): CommandRule => ({ least, did: null });

export const commandRules = {
  "folder.inspect": reads("own"),
  "folder.list": reads("own"),
  "folder.pick": reads("own"),
  "repository.open": own("opened a repository"),
  "repository.adopt": own("set up a repository"),
  "repository.takeOver": own("took a repository over"),
  "repository.close": own("closed a repository"),
  "repository.forgetRecent": own("removed a repository from the list"),
  "repository.restoreRecent": own("put a repository back in the list"),
  "rehearsal.start": own("started a rehearsal"),
  "rehearsal.cancel": own("cancelled a rehearsal"),
  "rehearsal.setTempo": steer("changed the pace of rehearsals"),
  "settings.change": own("changed the settings"),
  "settings.setKey": own("set the API key"),
  "settings.clearKey": own("removed the API key"),
  doctor: watch,
  "tools.agents": watch,
  diagnostics: reads("own"),
  "tools.fetchJj": own("installed jj"),
  "tools.cancelFetch": own("cancelled installing jj"),
  "openIn.programs": watch,
  "openIn.open": watch,

  "presence.look": watch,
  "people.list": reads("own"),
  "people.invite": own("invited a person"),
  "people.remove": own("removed a person"),
  "people.log": reads("own"),

  "machine.invite": own("invited a worker"),
  "machine.setState": own("drained or resumed a worker"),
  "machine.remove": own("removed a worker"),

  "archangel.list": watch,
  "archangel.switch": own("turned an archangel on or off"),
  "archangel.watch": steer("started or stopped reviewing sessions"),
  "comment.write": steer("wrote a comment"),
  "comment.reply": steer("replied to a comment"),
  "comment.resolve": steer("resolved a comment"),
  "comment.send": steer("sent a comment to an agent"),
  "ideas.list": watch,
  "ideas.add": steer("saved an idea"),
  "ideas.remove": steer("removed an idea"),

  "graph.filter": watch,
  "change.details": watch,
  "change.files": watch,
  "change.folder": watch,
  "change.fileSides": watch,
  "change.diff": watch,
  "change.conflict": watch,
  "change.resolveConflict": steer("resolved a conflict"),
  "change.describe": steer("described a change"),
  "change.setMetadata": steer("changed a task"),
  "change.previewRebase": watch,
  "change.rebase": steer("rebased a change"),
  "change.abandon": steer("abandoned a change"),
  "queue.move": steer("reprioritized a task"),
  "operation.undo": approve("undid an operation"),
  "operation.subjects": watch,
  "operation.previewRestore": reads("steer"),
  "operation.restore": own("restored the repository"),

  "pattern.list": watch,
  "pattern.diff": watch,
  "pattern.preview": watch,
  "pattern.approve": approve("approved a pattern"),
  "pattern.retire": approve("retired a pattern"),
  "pattern.restore": approve("restored a pattern"),
  "pattern.suggest": watch,
  "pattern.editCard": approve("edited a pattern"),
  "pattern.pull": approve("pulled patterns"),

  "pullRequest.branches": watch,
  "pullRequest.look": watch,
  // Written on the forge in the name of the host's user.
  "pullRequest.comment": approve("commented on the pull request"),
  "pullRequest.reply": approve("replied on the pull request"),
  "pullRequest.resolve": approve("resolved a thread on the pull request"),
  "pullRequest.reopen": steer("reopened a task from the pull request"),

  "replay.open": watch,
  "replay.beginUpload": watch,
  "replay.upload": watch,
  "replay.openFile": watch,
  "replay.events": watch,
  "replay.frame": watch,
  "replay.graph": watch,
  "replay.conversation": watch,
  "replay.operations": watch,
  "replay.compare": watch,
  "replay.close": watch,
  "replay.export": watch,
  "report.runs": watch,
  "report.compareStores": watch,
  "runs.list": watch,
  "runs.report": watch,
  "runs.ending": watch,

  "run.state": watch,
  "run.forecast": watch,
  "run.start": steer("started a run"),
  "run.pauseAll": steer("paused all runs"),
  "run.pause": steer("paused the run"),
  "run.resume": steer("resumed the run"),
  "run.stop": steer("stopped the run"),
  "run.extendBudget": approve("extended the budget"),
  "run.setLimits": steer("changed the limits"),
  "run.previewPush": watch,
  "run.push": approve("pushed a bookmark"),
  "run.base": watch,
  "run.previewUndoLanding": watch,
  "run.undoLanding": approve("undid a landing"),
  "run.previewCatchUp": reads("own"),
  "run.catchUp": own("moved the host's folder"),
  "run.leftovers": watch,
  "run.cleanUp": own("removed workspaces"),
  "run.conversation": watch,
  "inbox.answer": approve("answered a card"),

  "start.choices": watch,
  "start.answerSettings": own("answered for settings of the repository"),
  "start.checkModel": reads("steer"),
  "start.files": watch,
  // With the host's account on the forge.
  "start.issues": reads("steer"),
  "start.issue": reads("steer"),
  "start.templates": watch,
  "start.saveTemplate": steer("saved a goal template"),
  "start.removeTemplate": steer("removed a goal template"),

  "change.validate": steer("started a validation"),
  "change.validateMore": watch,
  "change.cancelValidate": steer("cancelled a validation"),
  "change.lastValidation": watch,

  "run.pauseWorker": steer("paused"),
  "run.resumeWorker": steer("resumed"),
  "run.retryWorker": steer("restarted"),
  "run.messageWorker": steer("sent a message to"),
  "run.interruptWorker": steer("interrupted"),
  "run.reassignWorker": steer("reassigned the task of"),
  "run.setWorkerLimits": steer("changed the limits of"),
  "run.takeOver": steer("took over the task of"),
  "run.previewTakeover": watch,
  "run.giveBack": steer("returned the task to"),
  "run.finishByHand": steer("finished the task of"),
  "run.previewUndo": watch,
  "run.undoWorker": steer("undid the work of"),
  "plan.check": watch,
  "plan.amend": steer("edited the plan"),
  "attempt.previewFork": watch,
  "attempt.fork": steer("forked"),
  "attempt.compare": watch,
  "attempt.choose": approve("chose"),
  "attempt.undoChoice": approve("undid the choice of"),
  "run.orientation": watch,
  "run.ask": steer("asked an agent a question"),
  "run.askMore": watch,
  "run.cancelAsk": steer("cancelled a question"),
} as const satisfies Readonly<Record<CommandName, CommandRule>>;

/** The rule of a command. */
export const ruleOf = (name: CommandName): CommandRule => commandRules[name];
