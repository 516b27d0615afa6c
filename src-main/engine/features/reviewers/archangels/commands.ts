import type { archangelCommands as commandTable } from "#shared/contract/commands/archangel.ts";
import type { EngineCommands } from "#shared/contract/commands.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { ArchangelView } from "#shared/domain/archangel/archangel.ts";
import {
  type Archangel,
  archangelWorker,
  nothingDelivered,
  watchGoal,
} from "#shared/domain/archangel/archangel.ts";
import { byUser, type CommentRecord } from "#shared/domain/archangel/archangel-records.ts";
import { nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { archangelsOf, shownPurpose } from "../../../../config/archangels.ts";
import { loadConfig } from "../../../../config/config.ts";
import type { Config } from "../../../../config/config-interface.ts";
import { writeArchangelSwitch } from "../../../../config/write-settings.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import { perRun } from "../../../kernel/once.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isWatch } from "../../../workers/hierarchy.ts";
import { spentBudgetOf } from "../../../workers/worker-limits.ts";
import { watchBudget } from "./due.ts";
import { refuseOff } from "./review.ts";
import { sendComment, writeComment } from "./write-comment.ts";

/** The user's commands for archangels and their comments. */
export const archangelCommands = ({
  repository: { root },
  stateFolder,
  settings,
  journal,
  allGoing,
  finish,
  execute,
  newId,
  now,
}: CommandScope<Run>): EngineCommands<keyof typeof commandTable, Run> => ({
  async "archangel.list"({ run: id }) {
    const run = allGoing().find((one) => one.id === id);
    if (run) return archangelViews(run).archangels;
    const { config, path } = await loadConfig({ root, stateFolder, settings: settings() });
    return archangelsAtRest(config, root, path === null ? settings().model : config.models.default);
  },
  async "archangel.switch"({ name, isOn }) {
    const { config } = await loadConfig({ root, stateFolder, settings: settings() });
    const names = archangelsOf(config).map((one) => one.name);
    if (!names.includes(name))
      throw new EngineRefusal(`No archangel named "${name}".`, `Available: ${names.join(", ")}.`);
    await writeArchangelSwitch({ root, stateFolder }, name, isOn);
  },
  async "archangel.watch"({ isOn }) {
    if (isOn) {
      await execute("run.start", {
        goal: watchGoal,
        watch: true,
        orchestrators: null,
        onto: null,
        rehearsal: null,
        model: null,
      });
      return;
    }
    for (const run of allGoing().filter(isWatch)) {
      run.dispatch({ kind: "Stop", by: "user" });
      await finish(run);
    }
  },
  "comment.write": (run, input) => writeComment(run, input, now()),
  "comment.reply"(run, { comment, text }) {
    const { archangel } = commentOf(run, comment);
    if (archangel !== byUser) refuseOff(run, archangel);
    run.append({ kind: "CommentReplied", comment, by: "you", text, at: now() });
  },
  "comment.resolve"(run, { comment, isResolved }) {
    commentOf(run, comment);
    run.append({ kind: "CommentResolved", comment, isResolved });
  },
  async "comment.send"(run, { comment }) {
    return { worker: await sendComment(run, commentOf(run, comment)) };
  },
  "ideas.list": () => journal.ideas(),
  "ideas.add"({ text }) {
    const known = journal.ideas().find((one) => one.text === text);
    if (known) return known;
    const idea = { id: newId(), text, context: "", files: [], from: null, at: now(), run: null };
    journal.setIdea(idea);
    return idea;
  },
  "ideas.remove"({ id }) {
    if (!journal.removeIdea(id))
      throw new EngineRefusal(`No idea ${startOf(id, 40)}.`, "List ideas with `hox ideas`.");
  },
});

type Views = Pick<RunView, "archangels" | "watchBudget">;

/** Files are read when the settings change. */
const settingsIn = perRun(({ repository: { root } }: Run) => {
  const read = new WeakMap<Config, readonly (readonly [Archangel, Settings])[]>();
  return (config: Config) => {
    const set = read.get(config) ?? archangelsOf(config).map((one) => [one, settingsOf(one, root)] as const);
    read.set(config, set);
    return set;
  };
});

/** What a screen shows of archangels. Asked often. */
export const archangelViews = (run: Run): Views => ({
  archangels: settingsIn(run)(run.config).map(([archangel, settings]) => viewIn(run, archangel, settings)),
  ...(isWatch(run) ? { watchBudget: watchBudget(run) } : {}),
});

/** Without an active run. */
const archangelsAtRest = (config: Config, repository: string, model: string): ArchangelView[] =>
  archangelsOf(config).map((archangel) => ({
    ...settingsOf(archangel, repository),
    model: archangel.model ?? config.mergeRequests.firstReviewer ?? model,
    spent: nothingSpent,
    state: archangel.isOn ? "sleeping" : "off",
    delivery: nothingDelivered,
  }));

type Settings = Omit<ArchangelView, "model" | "spent" | "state" | "delivery">;

const settingsOf = (
  { name, isOn, purpose, paths, wakes, microDollars, tokens }: Archangel,
  repository: string,
): Settings => ({
  name,
  worker: archangelWorker(name),
  isOn,
  purpose: shownPurpose(purpose, repository),
  paths,
  wakes,
  microDollars,
  tokens,
});

function viewIn(run: Run, archangel: Archangel, settings: Settings): ArchangelView {
  const name = archangelWorker(archangel.name);
  const worker = run.workers.get(name);
  const { delivered } = run.facts.archangels;
  const spent: Spent = run.spending.byWorker.get(name) ?? nothingSpent;
  const state = (): ArchangelView["state"] => {
    if (!archangel.isOn) return "off";
    if (worker === undefined) return "sleeping";
    if (spentBudgetOf(run, name) === name) return "spent";
    return worker.state === "thinking" || worker.state === "tools" ? "thinking" : "sleeping";
  };
  return {
    ...settings,
    model: archangel.model ?? run.config.mergeRequests.firstReviewer ?? run.model,
    spent,
    state: state(),
    delivery:
      (Object.hasOwn(delivered, archangel.name) ? delivered[archangel.name]?.delivery : null) ??
      nothingDelivered,
  };
}

/** @throws EngineRefusal if the comment is not in the open run */
function commentOf(run: RunReader, id: string): CommentRecord {
  const comment = run.facts.archangels.comments.find((one) => one.id === id);
  if (comment) return comment;
  throw new EngineRefusal(
    `No comment ${startOf(id, 40)} in this run.`,
    "Check the run again: it may have changed.",
  );
}
