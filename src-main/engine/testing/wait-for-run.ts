/** Waits for what a run comes to, and says how it stands where it does not come to that. */
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

/** Looks every few milliseconds. What nobody scripted, and a trouble that nobody answers, end it at once. */
export const waitForRun = (watched: Watched, holds: RunCondition, ms = 270_000): Promise<RunView> =>
  new Promise((resolve, reject) => {
    const begun = Date.now();
    const look = () => {
      const { run, inbox } = watched.engine.state();
      if (run && holds(run, inbox)) {
        resolve(run);
        return;
      }
      const isInTrouble = !watched.answers.trouble && inbox.some((item) => item.kind === "trouble");
      if (Date.now() - begun > ms || watched.standIn.unmatched().length > 0 || isInTrouble) {
        reject(new Error(`It did not come to that: ${JSON.stringify(stateToTell(watched), null, 1)}`));
        return;
      }
      setTimeout(look, 15);
    };
    look();
  });

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
