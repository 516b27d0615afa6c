/** Waits for what a run should reach, and prints its state where it does not get there. */
import { setTimeout } from "node:timers/promises";
import { TestRunner } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { StandIn } from "../../model/stand-in/stand-in.ts";
import type { Engine } from "../engine-interface.ts";

export type RunCondition = (run: RunView, inbox: readonly InboxItem[]) => boolean;

interface Watched {
  readonly engine: Pick<Engine, "state">;
  readonly standIn: Pick<StandIn, "unmatched">;
  readonly answers: { readonly trouble?: unknown };
  readonly events: readonly { readonly kind: string }[];
}

/** Of the time that a hook has. */
const maxMsInHook = 240_000;
/** Before the time of the test or its hook is over, so that its state is printed. */
const untilTestEnds = (): number => {
  const test = TestRunner.getCurrentTest();
  return test?.result?.startTime ? test.result.startTime + test.timeout - Date.now() - 5_000 : maxMsInHook;
};

/** Looks every few milliseconds. What nobody scripted, and a trouble that nobody answers, end it at once. */
export async function waitForRun(
  watched: Watched,
  holds: RunCondition,
  ms = untilTestEnds(),
): Promise<RunView> {
  const begun = Date.now();
  for (;;) {
    const { run, inbox } = watched.engine.state();
    if (run && holds(run, inbox)) return run;
    const isInTrouble = !watched.answers.trouble && inbox.some((item) => item.kind === "trouble");
    if (Date.now() - begun > ms || watched.standIn.unmatched().length > 0 || isInTrouble)
      throw new Error(`The run did not get there: ${JSON.stringify(stateToTell(watched), null, 1)}`);
    await setTimeout(15);
  }
}

/** What somebody who reads the failure wants to know first. */
function stateToTell({ engine, standIn, events }: Watched) {
  const { run, inbox } = engine.state();
  return {
    stage: run?.stage,
    phase: run?.phase,
    paused: run?.paused,
    failure: run?.failure,
    unexpected: standIn.unmatched(),
    workers: run?.workers.map((one) => [one.name, one.state, one.activity, one.status, one.iteration]),
    inbox: inbox.map((item) => (item.kind === "trouble" ? item : [item.kind, item.id])),
    notices: events.filter((event) => event.kind === "notice"),
  };
}
