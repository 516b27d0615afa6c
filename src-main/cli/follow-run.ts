import type { HostEvent } from "#shared/contract/events.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { HostState } from "../api/host-state.ts";
import type { Engine } from "../engine/engine-interface.ts";
import { createCardAnswerer } from "./answer-cards.ts";
import { type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { progressLines } from "./progress.ts";
import { runLabel } from "./run-client.ts";
import { exitCodeOf } from "./run-exit-code.ts";
import type { RunOptions } from "./run-options.ts";
import { concludeRun, isOver } from "./run-outcome.ts";
import { printNotice } from "./tell-notice.ts";

const printedEvents: ReadonlySet<HostEvent["kind"]> = new Set(["run", "inbox", "messages", "conversation"]);

/**
 * Tells what happens and answers the cards, until the runs are over or only a person can go on. Null: it was stopped.
 * @param begun their ids; what others have begun here meanwhile is told of once these are over, for it ends with this host
 */
export async function followRun(
  state: HostState,
  begun: readonly string[],
  options: RunOptions,
  stop: AbortSignal,
): Promise<ExitCode | null> {
  const engine = state.engine();
  const shown = new Map<string, RunView>();
  const ends = new Map<string, ExitCode>();
  let followed = begun;

  /** Null: go on. */
  const show = (view: RunView): ExitCode | null => {
    if (!followed.includes(view.id) || ends.has(view.id)) return null;
    if (!options.json) printProgress(shown.get(view.id) ?? null, view, followed.length > 1);
    shown.set(view.id, view);
    if (isOver(view)) {
      ends.set(view.id, concludeRun(view, options));
      if (followed.some((id) => !ends.has(id))) return null;
      const left = otherRunsGoing(engine, followed);
      if (left.length === 0) return endOf(followed.flatMap((id) => ends.get(id) ?? []));
      followed = [...followed, ...left.map(({ id }) => id)];
      if (!options.json)
        print(
          `\nStill active here: ${left.map(runLabel).join(", ")}. Press Ctrl-C to save and exit; resume with \`hox run\`.`,
        );
      return null;
    }
    if (view.providerLimit?.until !== null || view.paused !== "paused") return null;
    const code = exitCodeOf({ kind: "quota" });
    if (options.json) printJson({ kind: "end", outcome: "waits", code });
    else print("The work is saved. Resume with `hox run` when your quota resets.");
    return code;
  };

  const decide = createCardAnswerer(state, options, stop, (run) => followed.includes(run));

  for await (const { event } of state.log.read(null, stop)) {
    let code: ExitCode | null = null;
    if (event.kind === "snapshot") {
      const { run, otherRuns, inbox } = engine.state();
      for (const view of [...otherRuns.map((one) => one.run), ...(run ? [run] : [])]) {
        if (options.json && followed.includes(view.id)) printJson({ kind: "run", run: view });
        code ??= show(view);
      }
      code ??= await decide(inbox);
    } else {
      if (event.kind === "notice") printNotice(event, options);
      else if (options.json && printedEvents.has(event.kind)) printJson(event);
      if (event.kind === "run") {
        const before = followed;
        // What one that is followed from now on asks was asked before.
        code = show(event.run) ?? (followed === before ? null : await decide(engine.state().inbox));
      }
      if (event.kind === "inbox") code = await decide(engine.state().inbox);
    }
    if (code !== null) return code;
  }
  return null;
}

function printProgress(before: RunView | null, view: RunView, isOneOfSeveral: boolean): void {
  for (const line of progressLines(before, view)) print(isOneOfSeveral ? `${view.root} ${line}` : line);
}

/** Of several the first that did not end well says how it went. */
const endOf = (codes: readonly ExitCode[]): ExitCode =>
  codes.find((code) => code !== exitCode.done) ?? exitCode.done;

const otherRunsGoing = (engine: Pick<Engine, "state">, followed: readonly string[]): readonly RunView[] => {
  const { run, otherRuns } = engine.state();
  return [...otherRuns.map((one) => one.run), ...(run ? [run] : [])].filter(
    (one) => !isOver(one) && !one.isWatch && !followed.includes(one.id),
  );
};
