import type { PatternView, RunsSeen } from "#shared/contract/views/pattern.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";

/** The figures by which it can be recognised, and what they say of the runs recorded here. */
export function PatternEvidenceSection({ pattern: { evidence } }: { readonly pattern: PatternView }) {
  return (
    <section aria-label="Evidence">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Evidence</h3>
      {evidence === null ? (
        <p className="text-sm text-pretty text-muted">
          It names no figures. Whether it is true is for whoever reads it to judge.
        </p>
      ) : (
        <div className="flex flex-col gap-3">
          <table className="w-full max-w-[520px] text-sm" data-selectable>
            <thead>
              <tr className="text-left text-xs text-faint">
                <th className="py-1 font-normal">What holds for such runs</th>
                <th className="py-1 text-right font-normal">In the run it was learned from</th>
              </tr>
            </thead>
            <tbody>
              {evidence.claims.map(({ text, value }) => (
                <tr key={text} className="border-t">
                  <td className="py-1 font-mono text-xs">{shownText(text)}</td>
                  <td className="py-1 text-right tabular-nums">
                    {value === null ? (
                      <span className="text-faint">not recorded here</span>
                    ) : (
                      value.toLocaleString("en", { maximumFractionDigits: 2 })
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {evidence.fitting.runs + evidence.others.runs === 0 ? (
            <p className="text-sm text-muted">No other recorded run supports or contradicts it yet.</p>
          ) : (
            <dl className="grid max-w-[520px] grid-cols-2 gap-2">
              <Runs name="Other runs for which it holds" seen={evidence.fitting} />
              <Runs name="Runs for which it does not" seen={evidence.others} />
            </dl>
          )}
        </div>
      )}
    </section>
  );
}

const Runs = ({
  name,
  seen: { runs, succeeded, meanScore },
}: {
  readonly name: string;
  readonly seen: RunsSeen;
}) => (
  <div className="rounded-md border px-3 py-2">
    <dt className="text-xs text-faint">{name}</dt>
    <dd className="font-medium tabular-nums">
      {runs === 0 ? "none" : `${succeeded} of ${runs} reached ${runs === 1 ? "its" : "their"} goal`}
    </dd>
    <dd className="text-xs text-muted tabular-nums">
      {meanScore === null ? "no score" : `mean score ${meanScore.toFixed(2)}`}
    </dd>
  </div>
);
