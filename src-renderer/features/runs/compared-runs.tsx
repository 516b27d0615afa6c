import { X } from "lucide-react";
import type { RunListEntry } from "#shared/contract/views/run-list.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { comparedFigures, outcomeOf } from "./run-facts.ts";
import { compareWith } from "./runs-store.ts";

interface ComparedRunsProps {
  readonly one: RunListEntry;
  readonly other: RunListEntry;
}

/** Comparison of two runs: the older one first, whichever was chosen first. */
export function ComparedRuns({ one, other }: ComparedRunsProps) {
  const [before, after] = one.startedAt <= other.startedAt ? [one, other] : [other, one];
  return (
    <section aria-label="Compared runs" className="mx-auto max-w-[860px] px-6 py-5">
      <div className="flex items-center gap-2">
        <h2 className="flex-1 text-lg font-semibold">Comparison of two runs</h2>
        <IconButton label="Stop comparing" icon={<X size={14} />} onClick={() => compareWith(null)} />
      </div>
      <table className="mt-3 w-full table-fixed text-sm">
        <thead>
          <tr className="text-left align-top">
            <td className="w-36" />
            {[before, after].map((run) => (
              <th key={run.id} scope="col" className="pr-4 pb-2 font-normal">
                <span className="line-clamp-2 font-medium" title={shownLine(run.goal)}>
                  {shownLine(run.goal)}
                </span>
                <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
                  <Badge tone={outcomeOf(run).tone}>{shownLine(outcomeOf(run).text)}</Badge>
                  <span className="font-mono text-xs">{run.id.slice(0, 8)}</span>
                </span>
              </th>
            ))}
            <th scope="col" className="w-40 pb-2 text-right font-normal text-faint">
              later run
            </th>
          </tr>
        </thead>
        <tbody>
          <tr className="border-t">
            <th scope="row" className="py-1.5 text-left font-normal text-muted">
              Model
            </th>
            {[before, after].map((run) => (
              <td key={run.id} className="truncate py-1.5 pr-4">
                {shownLine(run.model)}
              </td>
            ))}
            <td />
          </tr>
          {comparedFigures(before, after, Date.now()).map(({ name, values, difference, better }) => (
            <tr key={name} className="border-t">
              <th scope="row" className="py-1.5 text-left font-normal text-muted">
                {name}
              </th>
              {values.map((value, nth) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: the first run and the second
                  key={nth}
                  className={cx("py-1.5 pr-4 tabular-nums", better === nth && "font-medium text-success")}
                >
                  {value}
                </td>
              ))}
              <td className="py-1.5 text-right text-muted tabular-nums">{difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
