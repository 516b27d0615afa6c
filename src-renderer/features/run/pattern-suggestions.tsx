import { BookOpen, ChevronRight } from "lucide-react";
import type { PatternSuggestion } from "#shared/contract/commands/pattern.ts";
import { formatUses } from "#shared/domain/patterns/pattern-record.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { openPattern } from "../../state/pattern-library.ts";
import { type Loaded, shownValue, useAtRest, useLoaded, useReconnects } from "../../state/use-loaded.ts";

const askAfterMs = 350;

/** Asked when the typing rests; what was found stays until there is another answer. */
function useSuggestions(goal: string): Loaded<readonly PatternSuggestion[]> {
  const words = useAtRest(goal.trim(), askAfterMs);
  const reconnects = useReconnects();
  return useLoaded(`${reconnects} ${words}`, async () =>
    words === "" ? [] : client.pattern.suggest({ goal: words }),
  );
}

/** What earlier runs taught about such a goal: the run will be told it, with nothing to do for it. */
export function PatternSuggestions({ goal }: { readonly goal: string }) {
  const loaded = useSuggestions(goal);
  if (loaded.kind === "failed")
    return (
      <p className="text-sm text-danger" role="alert">
        Patterns could not be read: {loaded.failure.text}
      </p>
    );
  const patterns = shownValue(loaded) ?? [];
  if (patterns.length === 0) return null;
  return (
    <section aria-label="Suggested patterns" className="flex flex-col gap-1">
      <h3 className="text-sm font-medium text-muted">
        Learned in earlier runs, added to this run <span className="tabular-nums">· {patterns.length}</span>
      </h3>
      <ul className="max-h-44 overflow-y-auto rounded-md border">
        {patterns.map((pattern) => (
          <Suggestion key={pattern.id} pattern={pattern} />
        ))}
      </ul>
    </section>
  );
}

function Suggestion({ pattern }: { readonly pattern: PatternSuggestion }) {
  const { id, title, category, confidence, gist, why, uses } = pattern;
  return (
    <li className="border-b last:border-b-0" data-suggested={id}>
      <button
        type="button"
        onClick={() => openPattern(id)}
        title={shownLine(gist)}
        className="group flex w-full items-center gap-2 px-2 py-1.5 text-left outline-offset-[-2px] hover:bg-hover"
      >
        <BookOpen size={13} className="shrink-0 self-start text-faint" style={{ marginTop: 3 }} aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 truncate font-medium">{shownLine(title)}</span>
            <span className="shrink-0 text-xs text-faint tabular-nums">
              {category} · {confidence.toFixed(2)}
            </span>
          </span>
          <span className="block truncate text-xs text-muted">{why.map(shownLine).join(" · ")}</span>
          <span className="block truncate text-xs text-faint">{formatUses(uses)}</span>
        </span>
        <ChevronRight size={13} className="shrink-0 text-faint" aria-hidden />
      </button>
    </li>
  );
}
