import { Popover } from "@base-ui/react/popover";
import { useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import type { RunView } from "#shared/contract/views/run.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/prices.ts";
import { alsoUnmetered, notMetered, unmeteredUse } from "#shared/domain/spending/unmetered.ts";
import { contextTokens, totalTokens } from "#shared/domain/spending/usage.ts";
import { maxAgentsAtOnce } from "#shared/domain/worker/roles.ts";
import { client } from "../../client.ts";
import { dollars, tokens } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { CountField, useLimitFields } from "../../kit/field.tsx";
import { Meter } from "../../kit/meter.tsx";
import { WorkerTable } from "../../kit/worker-table.tsx";
import { useHost, usePartOfHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import "uplot/dist/uPlot.min.css";
import { useShownTheme } from "../../kit/theme.ts";

type WholeBudget = Omit<RunView["budget"], "byWorker" | "history">;

const wholeOf = ({ limitTokens, limitMicroDollars, spent, state }: WholeBudget): WholeBudget => ({
  limitTokens,
  limitMicroDollars,
  spent,
  state,
});

/** How much of its limit the run has used, 0 to 1; of several limits the nearest to its end. */
function usedShare(budget: WholeBudget): number | null {
  const shares: number[] = [];
  if (budget.limitMicroDollars) shares.push(budget.spent.microDollars / budget.limitMicroDollars);
  if (budget.limitTokens) shares.push(totalTokens(budget.spent.usage) / budget.limitTokens);
  return shares.length === 0 ? null : Math.min(1, Math.max(...shares));
}

/** Money spent beside its limit, always in sight; opens the whole account. */
export function BudgetMeter() {
  // The account of every worker changes oftener than what is shown of the whole.
  const budget = usePartOfHost(({ run }) => run && wholeOf(run.budget));
  const also = usePartOfHost(({ run }) => alsoUnmetered(run?.workers ?? []));
  if (budget === null) return null;
  const share = usedShare(budget);
  return (
    <Popover.Root>
      <Popover.Trigger className="inline-flex h-7 shrink-0 items-center gap-2 rounded-md px-2 text-sm tabular-nums hover:bg-hover">
        <span className="sr-only">
          {`Budget: ${dollars(budget.spent.microDollars)} spent${budget.limitMicroDollars ? ` of ${dollars(budget.limitMicroDollars)}` : ""}${also}`}
        </span>
        <span
          aria-hidden
          className={cx(
            "font-medium",
            budget.state === "exhausted" && "text-danger",
            budget.state === "warning" && "text-warning",
          )}
        >
          {dollars(budget.spent.microDollars)}
        </span>
        {budget.limitMicroDollars !== null && (
          <span aria-hidden className="text-faint max-[1100px]:hidden">
            / {dollars(budget.limitMicroDollars)}
          </span>
        )}
        {budget.limitMicroDollars === null && budget.limitTokens !== null && (
          <span className="text-faint max-[1100px]:hidden">
            {tokens(totalTokens(budget.spent.usage))} / {tokens(budget.limitTokens)}
          </span>
        )}
        {also !== "" && (
          <span aria-hidden className="text-faint max-[1100px]:hidden" title={notMetered}>
            + not metered
          </span>
        )}
        {share !== null && (
          <span aria-hidden className="max-[1100px]:hidden">
            <Meter label="Budget" share={share} state={budget.state} className="h-1.5 w-16" />
          </span>
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-40">
          <Popover.Popup className="appear max-h-[min(560px,var(--available-height))] w-[420px] max-w-[calc(100vw-16px)] overflow-y-auto rounded-lg border bg-raised p-4 shadow-pop outline-none">
            <Popover.Title className="mb-2 text-lg font-semibold">Spending</Popover.Title>
            <WholeAccount />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function WholeAccount() {
  const run = useHost((state) => state.run);
  return run && <Spending run={run} />;
}

/** Agents with the user's own login, of which the figures know nothing. */
const Unmetered = ({ workers }: Pick<RunView, "workers">) =>
  workers.map(({ name, unmetered }) =>
    unmetered === null ? null : (
      <p key={name} className="text-sm text-muted">
        {name}: {notMetered} ({unmeteredUse(unmetered)}). Budgets in dollars count $0 for it.
      </p>
    ),
  );

/** The whole account of a run: the curve, each worker's share as a table, and the limits. */
function Spending({ run }: { readonly run: RunView }) {
  const { budget } = run;
  // In the order of the run: by dollars they would change places under the pointer.
  const order = new Map(run.workers.map(({ name }, index) => [name, index]));
  const placeOf = (worker: string): number => order.get(worker) ?? order.size;
  const rows = Object.entries(budget.byWorker).sort(([one], [other]) => placeOf(one) - placeOf(other));
  return (
    <div className="flex flex-col gap-3">
      <dl className="grid grid-cols-3 gap-2 text-sm">
        <Figure name="Spent" value={dollars(budget.spent.microDollars)} />
        <Figure name="Tokens" value={tokens(totalTokens(budget.spent.usage))} />
        <Figure
          name="Read from cache"
          value={
            contextTokens(budget.spent.usage) === 0
              ? "–"
              : `${Math.round((100 * budget.spent.usage.cacheRead) / contextTokens(budget.spent.usage))} %`
          }
        />
      </dl>
      <Unmetered workers={run.workers} />
      <SpendingChart history={budget.history} limitMicroDollars={budget.limitMicroDollars} />
      {run.endedAt === null && <Limits run={run} />}
      {rows.length > 0 && (
        <p className="border-t pt-3 text-sm text-muted">
          {overheadLine(splitSpending(run.workers, budget.byWorker))}
        </p>
      )}
      {rows.length > 0 && (
        <WorkerTable
          figures={["Requests", "Tokens", "Dollars"]}
          rows={rows.map(([worker, spent]) => ({
            worker,
            values: [spent.requests, tokens(totalTokens(spent.usage)), dollars(spent.microDollars)],
          }))}
        />
      )}
    </div>
  );
}

interface SpendingChartProps {
  /** [ms since 1970, micro-dollars so far]. */
  readonly history: readonly (readonly [number, number])[];
  readonly limitMicroDollars: number | null;
}

const height = 110;

/** Money over time. The table beside it says the same in words. */
function SpendingChart({ history, limitMicroDollars }: SpendingChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const theme = useShownTheme();
  const latest = useRef({ history, limitMicroDollars });
  latest.current = { history, limitMicroDollars };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page, which changes with the theme
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour("--faint"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
      font: "11px sans-serif",
    };
    const made = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false },
        scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, Math.max(most, 1) * 1.1] } },
        axes: [
          { ...axis, size: 22, space: 64, values: (_plot, ticks) => ticks.map(clock(ticks)) },
          { ...axis, size: 58, values: (_plot, ticks) => ticks.map(dollars) },
        ],
        series: [
          {},
          {
            stroke: colour("--accent"),
            fill: `${colour("--accent")}22`,
            width: 1.5,
            points: { show: false },
          },
          { stroke: colour("--danger"), dash: [4, 4], width: 1, points: { show: false } },
        ],
      },
      toData(latest.current.history, latest.current.limitMicroDollars),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme]);

  useEffect(() => {
    plot.current?.setData(toData(history, limitMicroDollars));
  }, [history, limitMicroDollars]);

  const last = history.at(-1);
  return (
    <div
      ref={place}
      role="img"
      aria-label={last ? `Spending over time, now ${dollars(last[1])}` : "No spending yet"}
      style={{ height }}
      className="w-full"
    />
  );
}

/** The time of day, with seconds only where ticks are less than a minute apart. */
function clock(ticks: readonly number[]): (seconds: number) => string {
  const [first = 0, second = first + 60] = ticks;
  const format = new Intl.DateTimeFormat(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(second - first < 60 ? { second: "2-digit" } : {}),
  });
  return (seconds) => format.format(seconds * 1_000);
}

/** The limit is drawn only while it is near enough to keep the curve readable. */
function toData(history: SpendingChartProps["history"], limit: number | null): UPlot.AlignedData {
  const spent = history.at(-1)?.[1] ?? 0;
  const shown = limit !== null && limit <= spent * 4;
  return [
    history.map(([at]) => at / 1_000),
    history.map(([, micro]) => micro),
    history.map(() => (shown ? limit : null)),
  ];
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="rounded-md bg-sunken px-2.5 py-1.5">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="font-medium tabular-nums">{value}</dd>
    </div>
  );
}

/** New limits for the run; they replace the old ones and hold at once. */
function Limits({ run }: { readonly run: RunView }) {
  const { limits, fields } = useLimitFields({
    tokens: run.budget.limitTokens,
    microDollars: run.budget.limitMicroDollars,
  });
  const [agents, setAgents] = useState<number | null>(run.maxParallelAgents);
  const [iterations, setIterations] = useState<number | null>(run.maxIterations);
  const usable = limits !== null && agents !== null && iterations !== null;
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!usable) return;
        void attempt("The limits were not changed", () =>
          client.run.setLimits({
            ...limits,
            ...(agents === run.maxParallelAgents ? {} : { maxParallelAgents: agents }),
            ...(iterations === run.maxIterations ? {} : { maxIterations: iterations }),
          }),
        );
      }}
    >
      <div className="grid grid-cols-2 items-start gap-2">
        {fields}
        <CountField label="Agents at once" value={agents} max={maxAgentsAtOnce} onChange={setAgents} />
        <CountField label="Iterations per agent" value={iterations} max={1_000} onChange={setIterations} />
      </div>
      <Button type="submit" className="self-end" disabled={!usable}>
        Set
      </Button>
    </form>
  );
}
