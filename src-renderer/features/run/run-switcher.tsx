import { ChevronDown, Layers } from "lucide-react";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Menu } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { rootOf, runsOf, showNextRun, showRun } from "../../state/runs-beside.ts";
import { runLine } from "./stages.ts";

/** Which of several runs is on screen, and how the others stand. Nothing where there is one. */
export function RunSwitcher() {
  const run = useHost((state) => state.run);
  const otherRuns = useHost((state) => state.otherRuns);
  const inbox = useHost((state) => state.inbox);
  const isReplaying = useReplay((state) => state.view !== null);
  if (!run || otherRuns.length === 0 || isReplaying) return null;
  const all = runsOf({ run, otherRuns });
  const waiting = inbox.filter((item) => item.run !== run.id).length;
  return (
    <Menu
      entries={[
        ...all.map((one) => ({
          label: entryOf(one, inbox),
          checked: one.id === run.id,
          onSelect: () => showRun(one.id),
        })),
        "separator" as const,
        { label: "The next run", keys: "alt+o", onSelect: showNextRun },
      ]}
      trigger={
        <button
          type="button"
          aria-label={`Run ${rootOf(run)} of ${all.length}${waiting > 0 ? `, ${waiting} waiting in others` : ""}`}
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border px-2 text-sm hover:bg-hover"
        >
          <Layers size={13} className="shrink-0 text-muted" aria-hidden />
          <span className="tabular-nums">
            <span className="font-medium">{rootOf(run)}</span>{" "}
            <span className="text-muted">of {all.length}</span>
          </span>
          {waiting > 0 && <span className="size-1.5 shrink-0 rounded-full bg-warning" aria-hidden />}
          <ChevronDown size={13} className="shrink-0 text-faint" aria-hidden />
        </button>
      }
    />
  );
}

function entryOf(run: RunView, inbox: readonly InboxItem[]): string {
  const waiting = inbox.filter((item) => item.run === run.id).length;
  const line = waiting > 0 ? `${waiting} waiting` : runLine(run);
  return `${rootOf(run)} · ${shownLine(startOf(run.goal, 48))} · ${line}`;
}
