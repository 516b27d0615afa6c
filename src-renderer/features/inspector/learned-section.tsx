import type { LearnedView } from "#shared/contract/views/worker.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { openPattern } from "../../state/pattern-library.ts";

/** Which patterns of earlier runs a worker was told; each leads to the library. */
export function LearnedSection({ learned = [] }: { readonly learned?: readonly LearnedView[] | undefined }) {
  if (learned.length === 0) return null;
  return (
    <section aria-label="Learned">
      <h3 className="mb-1 text-sm font-medium text-muted">Learned: {learned.length}</h3>
      <ul className="flex flex-col gap-0.5 text-sm">
        {learned.map(({ id, version, title }) => (
          <li key={id} className="flex items-baseline gap-2" title={`${id}, version ${version}`}>
            <button
              type="button"
              className="min-w-0 truncate text-left text-accent-text hover:underline"
              onClick={() => openPattern(id)}
            >
              {shownLine(title ?? id)}
            </button>
            <span className="shrink-0 text-xs text-faint">
              {id.slice(0, id.indexOf("/"))}, version {version}
              {title === null && ", now retired"}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
