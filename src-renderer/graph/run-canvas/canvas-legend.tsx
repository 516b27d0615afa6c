/** What the signs of the canvas mean, drawn by what draws them there. */
import { Popover } from "@base-ui/react/popover";
import { CircleHelp, GitFork, Hand, MailWarning, Pause } from "lucide-react";
import type { ReactNode } from "react";
import type { TrackMark } from "#shared/domain/timeline/timeline.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { breakLook } from "./canvas-breaks.tsx";
import { BeadSign, LaneEnd, stretchLabels, stretchLook } from "./lane-track.tsx";
import { bracketLook } from "./overlays.tsx";
import { LandingSign, SeatSign, voteLook } from "./run-ahead.tsx";
import { SpineSign } from "./spine-sign.tsx";

const colour = "var(--lane-3)";
const at = { id: "", at: 0, worker: "" };
const iteration = (failed: readonly string[] | null): TrackMark => ({
  ...at,
  kind: "iteration",
  iteration: 1,
  failed,
  isLast: false,
});

const Bead = ({ mark, isLow = false }: { readonly mark: TrackMark; readonly isLow?: boolean }) => (
  <span className="relative flex size-6 items-center justify-center" style={{ color: colour }}>
    <BeadSign marks={[mark]} hasRoom={!isLow} />
  </span>
);
const End = ({ isWorking }: { readonly isWorking: boolean }) => (
  <svg aria-hidden width={24} height={24} className={isWorking ? "breathe" : undefined}>
    <LaneEnd x={12} y={11.5} {...{ colour, isWorking }} />
  </svg>
);
const Line = ({ look }: { readonly look: string }) => <i className={cx("h-[6px] w-7", look)} />;
const Stroke = ({ dash, width = 2 }: { readonly dash?: string; readonly width?: number }) => (
  <svg aria-hidden width={28} height={6}>
    <path d="M 0 3 H 28" stroke={colour} strokeWidth={width} strokeDasharray={dash} />
  </svg>
);

type Entry = readonly [sign: ReactNode, meaning: string];

const groups: readonly (readonly [title: string, entries: readonly Entry[]])[] = [
  [
    "On a lane",
    [
      [
        <Bead key="" mark={iteration(null)} />,
        "an iteration without checks, or another event (hover to see it)",
      ],
      [<Bead key="" mark={iteration([])} />, "an iteration, checks passed"],
      [<Bead key="" mark={iteration([])} isLow />, "the same in a compact lane"],
      [<Bead key="" mark={iteration(["test"])} />, "an iteration, checks failed"],
      [<Bead key="" mark={iteration(["test"])} isLow />, "the same in a compact lane"],
      [<Bead key="" mark={{ ...at, kind: "sent-back" }} />, "work was sent back, or undone"],
      [
        <Bead key="" mark={{ ...at, kind: "conflict", cause: null }} />,
        "a conflict, or a decision is contradicted",
      ],
      [<Bead key="" mark={{ ...at, kind: "merged" }} />, "merged"],
      [<Bead key="" mark={{ ...at, kind: "done" }} />, "done"],
      [<End key="" isWorking />, "its agent is working"],
      [<End key="" isWorking={false} />, "its agent is waiting"],
      [<Stroke key="" />, "line of a working agent, in its colour"],
      [<Stroke key="" dash="4 3" />, "line of a waiting agent"],
      [<Stroke key="" dash="2 4" width={1.25} />, "planned work"],
    ],
  ],
  [
    "States of a lane",
    Object.entries(stretchLabels).map(
      ([kind, words]): Entry => [<Line key="" look={stretchLook[kind as keyof typeof stretchLook]} />, words],
    ),
  ],
  [
    "Between lanes",
    [
      [<Stroke key="" dash="5 3" width={1.5} />, "an unanswered message, in its sender’s colour"],
      [
        <i key="" className="decision-bar h-5 w-[4px] rounded-full" />,
        "a decision, across the lanes it applies to",
      ],
      [
        <i key="" className="decision-bar is-waiting h-5 w-[4px] rounded-full" />,
        "a decision waiting for you",
      ],
      [<i key="" className={cx("h-5 w-2", bracketLook)} />, "two lanes would conflict in a file"],
      [<Avatar key="" name="agent-4" size={14} />, "at such a bracket: the agent of the other lane"],
      [
        <i key="" className={cx("h-5 w-7", breakLook)} />,
        "a break: no agent worked, and the time is shortened",
      ],
    ],
  ],
  [
    "The run",
    [
      [<SpineSign key="" mark={undefined} />, "an event of the run"],
      [<SpineSign key="" mark={{ ...at, kind: "integrated" }} />, "integrated"],
      [
        <SpineSign key="" mark={{ ...at, kind: "judged", attempt: 1, verdict: "approved" }} />,
        "the votes were counted: approved",
      ],
      [<SpineSign key="" mark={{ ...at, kind: "judged", attempt: 1, verdict: "rejected" }} />, "rejected"],
      [<SpineSign key="" mark={{ ...at, kind: "landed" }} />, "landed"],
      [<SpineSign key="" mark={{ ...at, kind: "landing-undone" }} />, "landing undone"],
      [<SpineSign key="" mark={{ ...at, kind: "ended", by: "" }} />, "ended"],
      [<SeatSign key="" vote={null} />, "a validator that has not started"],
      ...Object.keys(voteLook).map(
        (vote): Entry => [
          <SeatSign key="" vote={vote as keyof typeof voteLook} />,
          vote === "pending" ? "a validator is working" : `its vote: ${vote}`,
        ],
      ),
      [<LandingSign key="" isReady={false} />, "landing, not ready"],
      [<LandingSign key="" isReady />, "landing, waiting for your approval"],
    ],
  ],
  [
    "Next to a name",
    [
      [<Hand key="" size={12} className="text-info" />, "assigned to you"],
      [<Pause key="" size={12} />, "paused by you"],
      [<GitFork key="" size={12} />, "clones working"],
      [<MailWarning key="" size={12} className="text-info" />, "unread messages"],
      [<i key="" className="size-2 rounded-full bg-danger" />, "in conflict"],
    ],
  ],
];

/** A button that opens it. */
export function CanvasLegend() {
  return (
    <Popover.Root>
      <Popover.Trigger render={<IconButton label="Legend" icon={<CircleHelp size={14} />} />} />
      <Popover.Portal>
        <Popover.Positioner side="top" align="end" sideOffset={8} className="z-50">
          <Popover.Popup
            aria-label="Legend"
            data-canvas-legend
            className="max-h-[70vh] w-[min(42rem,90vw)] columns-1 gap-6 overflow-y-auto rounded-lg border bg-raised p-3 shadow-pop sm:columns-2"
          >
            {groups.map(([title, entries]) => (
              <section key={title} className="mb-3">
                <h3 className="mb-1 text-sm font-medium">{title}</h3>
                <dl>
                  {entries.map(([sign, meaning]) => (
                    <div key={meaning} className="flex min-h-6 break-inside-avoid items-center gap-2 text-xs">
                      <dt aria-hidden className="flex w-8 shrink-0 items-center justify-center">
                        {sign}
                      </dt>
                      <dd className="min-w-0 text-muted">{meaning}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
