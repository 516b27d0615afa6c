import { FolderOpen, Play, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { RehearsalView, ToolView } from "#shared/contract/views/app.ts";
import { rehearsalTime } from "#shared/domain/rehearsal/tempo.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Keys } from "../../kit/keys.tsx";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import { useHost } from "../../state/host-store.ts";
import { openDialog } from "../../state/selection-store.ts";
import { FetchJj } from "../settings/fetch-jj.tsx";
import { openFolder } from "./open-folder.tsx";
import { CancelRehearsal, RehearsalSteps } from "./rehearsal-steps.tsx";
import { Open, Recent } from "./repository-lists.tsx";
import { startRehearsal, usePreparing } from "./start-rehearsal.ts";

/** Shown while no repository is open. */
export function Welcome() {
  const app = useHost((state) => state.app);
  const opening = useHost((state) => state.opening);
  const open = useHost((state) => state.open);
  const preparing = usePreparing((state) => state.name);
  if (!app) return null;
  const { rehearsals } = app;
  const busy = preparing !== null || opening !== null;
  return (
    <main className="flex h-full flex-col overflow-y-auto bg-canvas">
      <div className="h-0.5 shrink-0">{busy && <IndeterminateLine label="Opening" />}</div>
      <div className="m-auto w-[860px] max-w-[calc(100vw-48px)] py-8">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Mark />
          <h1 className="text-xl font-semibold tracking-tight">Hox</h1>
          <p className="min-w-0 flex-1 basis-96 text-pretty text-muted">
            Run several coding agents on one repository in parallel. Watch and steer them on its change graph.
          </p>
        </div>
        <div className="mt-4">
          <CanvasPreview />
        </div>

        {rehearsals.length > 0 && (
          <section aria-labelledby="rehearsals" className="mt-5">
            <h2 id="rehearsals" className="font-medium">
              Watch a rehearsal
            </h2>
            <p className="mb-2 text-sm text-muted">
              A complete run on a small example. No API key, no cost: only the model responses are scripted.
              You make the decisions.
            </p>
            <RehearsalChoices
              {...{ rehearsals, preparing }}
              disabled={busy}
              onWatch={(name) => void startRehearsal(name)}
            />
          </section>
        )}

        <section aria-label="Your own work" className="mt-5 flex flex-wrap items-center gap-2">
          <Button
            size="lg"
            {...(rehearsals.length > 0 ? {} : { "data-first-focus": true })}
            look="primary"
            disabled={busy}
            onClick={() => void openFolder()}
          >
            <FolderOpen size={15} aria-hidden />
            Open a folder…
          </Button>
          <span className="ml-1">
            <Keys keys="mod+o" />
          </span>
          <p className="min-w-0 flex-1 basis-60 truncate text-sm text-muted" role="status">
            {opening && preparing === null
              ? `${opening.step}: ${opening.path}`
              : "Open a Git or jj repository. Hox asks before it changes anything."}
          </p>
        </section>
        <ToolProblems tools={app.tools} />
        <Open open={open} />
        <Recent recent={app.recent.filter(({ path }) => !open.some((view) => view.path === path))} />
        <KeyHint />
      </div>
    </main>
  );
}

const width = 860;
const now = 560;
const lanes = [
  { y: 66, hue: 0, from: 150, beads: [236, 330, 452], title: 118 },
  { y: 104, hue: 1, from: 150, beads: [262, 410], title: 92 },
  { y: 142, hue: 2, from: 150, beads: [220, 352, 500], title: 132 },
] as const;
const decision = 380;
const spine = 26;
/** Seats of the panel, and where it lands. */
const places = [
  ...[0, 1, 2, 3].map((seat) => ({
    x: now + 204 + (seat % 2) * 14,
    y: spine - 7 + Math.floor(seat / 2) * 14,
    r: 5,
  })),
  { x: width - 32, y: spine, r: 7 },
];

/**
 * What a run looks like, in a still picture: lanes of agents along time, a question, a decision, and what is ahead.
 */
function CanvasPreview() {
  return (
    <div className="overflow-hidden rounded-lg border bg-surface">
      <svg
        viewBox={`0 0 ${width} 172`}
        role="img"
        aria-label="A run in progress: a timeline with three agents in lanes and a decision that applies to all of them"
        className="block w-full"
      >
        <rect x={now} width={width - now} height={172} fill="var(--canvas)" />
        <path d={`M24 ${spine}H${now}`} stroke="var(--text)" strokeWidth={2.5} />
        <path
          d={`M${now} ${spine}H${width - 40}`}
          stroke="var(--line-strong)"
          strokeWidth={2}
          strokeDasharray="1 5"
          strokeLinecap="round"
        />
        <Lanes />
        <Decision />
        <Ahead />
      </svg>
    </div>
  );
}

/** Who works on what, with what was done so far. */
const Lanes = () =>
  lanes.map(({ y, hue, from, beads, title }) => (
    <g key={y} stroke={`var(--lane-${hue})`} fill="none">
      <path d={`M24 ${y + 19}H${width - 24}`} stroke="var(--line)" />
      <circle cx={32} cy={y} r={8} fill={`var(--lane-${hue})`} stroke="none" />
      <rect x={48} y={y - 4} width={title / 1.6} height={8} rx={4} fill="var(--line-strong)" stroke="none" />
      <path
        d={`M${from} ${spine}C${from + 2} ${y - 8} ${from + 20} ${y} ${from + 44} ${y}H${now}`}
        strokeWidth={2}
      />
      {beads.map((x) => (
        <circle key={x} cx={x} cy={y} r={4.5} fill="var(--surface)" strokeWidth={2} />
      ))}
      <circle cx={now} cy={y} r={6} fill={`var(--lane-${hue})`} strokeWidth={0} />
      <path
        d={`M${now + 10} ${y}C${now + 80} ${y} ${now + 70} ${spine + 14} ${now + 128} ${spine + 8}`}
        strokeDasharray="2 4"
        opacity={0.6}
      />
    </g>
  ));

/** One decision through all of them. */
const Decision = () => (
  <>
    <path d={`M${decision} ${spine}V158`} stroke="var(--progress)" strokeWidth={4} strokeLinecap="round" />
    <rect
      x={decision - 6}
      y={spine - 6}
      width={12}
      height={12}
      rx={2}
      transform={`rotate(45 ${decision} ${spine})`}
      fill="var(--progress)"
    />
  </>
);

/** A question that waits, and how it will end. */
const Ahead = () => (
  <>
    <path d={`M${now} 0V172`} stroke="var(--accent)" />
    <rect
      x={now + 22}
      y={90}
      width={168}
      height={28}
      rx={8}
      fill="var(--warning-soft)"
      stroke="var(--warning)"
    />
    <rect x={now + 34} y={101} width={74} height={6} rx={3} fill="var(--warning)" opacity={0.5} />
    <g fill="var(--raised)" stroke="var(--line-strong)">
      {[122, 154].map((x) => (
        <rect key={x} x={now + x} y={97} width={26} height={14} rx={4} />
      ))}
    </g>
    <g fill="var(--surface)" stroke="var(--line-strong)" strokeWidth={1.5}>
      <rect x={now + 112} y={spine - 10} width={56} height={20} rx={5} strokeDasharray="4 3" />
      {places.map(({ x, y, r }) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={r} strokeDasharray="3 2" />
      ))}
    </g>
  </>
);

interface RehearsalChoicesProps {
  readonly rehearsals: readonly RehearsalView[];
  /** Name of the one that is being prepared. */
  readonly preparing: string | null;
  readonly disabled: boolean;
  readonly onWatch: (name: string) => void;
}

const card = "flex flex-1 flex-col gap-1 rounded-lg border bg-surface px-3.5 py-3 text-left";

/** Every rehearsal with what it shows and how long it takes; the one that was chosen says how far it is. */
function RehearsalChoices({ rehearsals, preparing, disabled, onWatch }: RehearsalChoicesProps) {
  const returned = useFocusOfCancelled(preparing);
  return (
    <ul className="grid gap-2.5 sm:grid-cols-[repeat(auto-fit,minmax(220px,1fr))]" aria-label="Rehearsals">
      {rehearsals.map(({ name, title, description, seconds }, index) => (
        <li key={name} className="flex">
          {preparing === name ? (
            <Preparing title={title} />
          ) : (
            <button
              ref={returned(name)}
              type="button"
              {...(index === 0 ? { "data-first-focus": true } : {})}
              disabled={disabled}
              onClick={() => onWatch(name)}
              className={cx(card, "enabled:hover:border-accent enabled:hover:bg-hover disabled:opacity-50")}
            >
              <Title title={title} />
              <span className="text-sm text-pretty text-muted">{description}</span>
              <span className="mt-auto pt-1 text-xs text-faint tabular-nums">{rehearsalTime(seconds)}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Whoever cancels one finds the focus where it was when it was begun. */
function useFocusOfCancelled(preparing: string | null) {
  const [last, setLast] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  if (preparing !== null && preparing !== last) setLast(preparing);
  useEffect(() => {
    if (preparing === null && last !== null) button.current?.focus();
  }, [preparing, last]);
  return (name: string) => (name === last ? button : null);
}

const Title = ({ title }: { readonly title: string }) => (
  <span className="flex items-center gap-2 font-medium">
    <Play size={14} className="shrink-0 text-accent-text" aria-hidden />
    {title}
  </span>
);

const Preparing = ({ title }: { readonly title: string }) => (
  <div className={cx(card, "border-accent")}>
    <Title title={title} />
    <RehearsalSteps />
    <CancelRehearsal title={title} size="sm" className="mt-1 self-start" />
  </div>
);

/** Parts of the machine that are missing or too old, each with what to do; nothing when all is well. */
function ToolProblems({ tools }: { readonly tools: readonly ToolView[] }) {
  // Without Electron this very page is the window: nothing is wrong, and the settings tell how to get it.
  const problems = tools.filter((tool) => (!tool.found || tool.remedy !== null) && tool.part !== "electron");
  if (problems.length === 0) return null;
  return (
    <section aria-label="Problems on this machine" className="mt-5 rounded-lg border bg-surface">
      <ul>
        {problems.map((tool) => (
          <li key={tool.part} className="flex gap-2.5 border-b px-3 py-2 last:border-b-0">
            <TriangleAlert size={15} className="mt-0.5 shrink-0 text-warning" aria-hidden />
            <div className="min-w-0" data-selectable>
              <p>
                <span className="font-medium">{tool.part}</span>{" "}
                {tool.found ? (tool.version ?? "") : "was not found"}
                {tool.note && <span className="text-muted">: {tool.note}</span>}
              </p>
              {tool.remedy && <p className="text-muted">{tool.remedy}</p>}
              {tool.canFetch && <FetchJj />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Mark() {
  return (
    <svg width="30" height="30" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.2">
        <path d="M16 25v-5M16 20c-7 0-7-3-7-5.5M16 20c7 0 7-3 7-5.5M9 13.5C9 10 16 11 16 7.5M23 13.5C23 10 16 11 16 7.5" />
      </g>
      <g fill="var(--on-accent)">
        <circle cx="16" cy="25" r="2.8" />
        <circle cx="9" cy="14" r="2.8" />
        <circle cx="23" cy="14" r="2.8" />
        <circle cx="16" cy="7" r="2.8" />
      </g>
    </svg>
  );
}

function KeyHint() {
  const key = useHost((state) => state.app?.key);
  if (key?.source !== "none") return null;
  return (
    <p className="mt-6 text-sm text-faint">
      Without an API key you can watch the rehearsals and browse any repository.{" "}
      <LinkButton onClick={() => openDialog("settings")}>Add a key</LinkButton> to let agents work on yours.
    </p>
  );
}
