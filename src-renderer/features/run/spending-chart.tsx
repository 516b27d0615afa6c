import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { dollars } from "../../kit/amounts.ts";
import { useShownTheme } from "../../kit/theme.ts";

interface SpendingChartProps {
  /** [ms since 1970, micro-dollars so far]. */
  readonly history: readonly (readonly [number, number])[];
  readonly limitMicroDollars: number | null;
}

const height = 110;

/** Money over time. The table beside it says the same in words. */
export function SpendingChart({ history, limitMicroDollars }: SpendingChartProps) {
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

/** The time of day, with seconds only where the marks stand closer than minutes. */
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
