import type { PatternView } from "#shared/contract/views/pattern.ts";
import { formatFitting } from "#shared/domain/patterns/pattern-use.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";

/** The figures by which it can be recognised, and what they say of the runs recorded here. */
export function PatternEvidenceSection({ pattern: { evidence } }: { readonly pattern: PatternView }) {
  return (
    <section aria-label="Evidence">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Evidence</h3>
      {evidence === null ? (
        <p className="text-sm text-pretty text-muted">No metrics. You have to judge whether it is true.</p>
      ) : (
        <div className="flex flex-col gap-3">
          <table className="w-full max-w-[520px] text-sm" data-selectable>
            <thead>
              <tr className="text-left text-xs text-faint">
                <th className="py-1 font-normal">For comparable runs</th>
                <th className="py-1 text-right font-normal">In the source run</th>
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
          <p className="text-sm text-muted first-letter:uppercase" data-selectable>
            {formatFitting(evidence.fitting)}
          </p>
        </div>
      )}
    </section>
  );
}
