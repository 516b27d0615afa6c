import { runAgain } from "#shared/domain/run/away-summary.ts";
import { client } from "../../client.ts";
import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { hasRepository, useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { canRunInParallel, runsGoing, showNextRun } from "../../state/other-runs.ts";
import { openDialog } from "../../state/selection-store.ts";
import { stopRun } from "./run-controls.tsx";

const liveRun = () => {
  const { run } = useHost.getState();
  return run && run.endedAt === null ? run : null;
};

const isOpenElsewhere = (): boolean => Boolean(useHost.getState().repository?.lockedBy);

/** The run as a whole, from its start to its stop. */
const runActions: readonly Action[] = [
  {
    id: "start-run",
    title: "Start a run…",
    group: "Run",
    command: "run.start",
    keys: "mod+Enter",
    words: "goal plan agents",
    available: () =>
      hasRepository() && runsGoing(useHost.getState()).every(({ isWatch }) => isWatch) && !isOpenElsewhere(),
    run: () => openDialog("start-run"),
  },
  {
    id: "start-beside",
    title: "Start another run…",
    group: "Run",
    command: "run.start",
    keys: "alt+a",
    words: "goal plan agents second parallel",
    available() {
      const going = runsGoing(useHost.getState());
      return going.some(({ isWatch }) => !isWatch) && going.every(canRunInParallel) && !isOpenElsewhere();
    },
    run: () => openDialog("start-run"),
  },
  {
    id: "run-again",
    title: "Run again…",
    group: "Run",
    command: "run.start",
    words: "retry goal restart",
    available: () => {
      const { run, repository } = useHost.getState();
      return run !== null && runAgain(run) !== null && !repository?.lockedBy;
    },
    run: () => openDialog("run-again"),
  },
  {
    id: "next-run",
    title: "Show the next run",
    group: "Run",
    keys: "alt+o",
    words: "switch other root",
    available: () => useHost.getState().otherRuns.length > 0,
    run: showNextRun,
  },
  {
    id: "pause",
    title: "Pause the run",
    group: "Run",
    command: "run.pause",
    available: () => liveRun()?.paused === "no",
    run: () => void attempt("The run was not paused", () => client.run.pause()),
  },
  {
    id: "resume",
    title: "Resume the run",
    group: "Run",
    command: "run.resume",
    available: () => liveRun()?.paused === "paused",
    run: () => void attempt("The run was not resumed", () => client.run.resume()),
  },
  {
    id: "try-provider",
    title: "Retry the provider now",
    group: "Run",
    command: "run.resume",
    available: () => liveRun()?.providerLimit?.until != null,
    run: () => void attempt("The provider was not retried", () => client.run.resume()),
  },
  {
    id: "stop",
    title: "Stop the run…",
    group: "Run",
    command: "run.stop",
    available: () => liveRun() !== null,
    run: () => void stopRun(),
  },
];

/** The run as a whole. */
export const run: Feature = { actions: runActions };
