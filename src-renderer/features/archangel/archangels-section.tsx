import type { RunView } from "#shared/contract/views/run.ts";
import type { ArchangelView } from "#shared/domain/archangel/archangel.ts";
import { purposeInShort } from "#shared/domain/archangel/archangel.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { dollars } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { Section, Terms } from "../../kit/section.tsx";
import { isOpen } from "../../state/comments.ts";

/** The reviewers in the background that are on, or have spoken, with what each has been told. */
export function ArchangelsSection({ run }: { readonly run: RunView }) {
  const shown = run.archangels.filter(({ isOn, delivery }) => isOn || delivery.initialized);
  if (shown.length === 0) return null;
  return (
    <Section title="Archangels">
      <ul className="flex flex-col">
        {shown.map((archangel) => (
          <ArchangelRow
            key={archangel.name}
            archangel={archangel}
            open={run.comments.filter((one) => one.archangel === archangel.name && isOpen(one)).length}
          />
        ))}
      </ul>
    </Section>
  );
}

const states: Readonly<Record<ArchangelView["state"], { readonly label: string; readonly tone: Tone }>> = {
  off: { label: "off", tone: "neutral" },
  sleeping: { label: "idle", tone: "neutral" },
  thinking: { label: "reviewing", tone: "info" },
  spent: { label: "budget spent", tone: "warning" },
};

interface ArchangelRowProps {
  readonly archangel: ArchangelView;
  /** Unresolved comments. */
  readonly open: number;
}

function ArchangelRow({ archangel, open }: ArchangelRowProps) {
  const { name, purpose, state, spent, delivery } = archangel;
  const { label, tone } = states[state];
  return (
    <li data-archangel={name}>
      <details className="rounded-md">
        <summary className="flex min-h-10 cursor-default list-none items-center gap-2.5 rounded-md px-1.5 hover:bg-hover">
          <Avatar name={name} size={22} />
          <span className="min-w-0 flex-1">
            <span className="flex items-center gap-1.5">
              <span className="shrink-0 font-medium">{name}</span>
              <Badge tone={tone}>{label}</Badge>
            </span>
            <span className="block truncate text-xs text-faint">
              {delivery.lastAnalysisAt === null ? (
                "No review yet"
              ) : (
                <>
                  Last review <RelativeTime at={delivery.lastAnalysisAt} />
                </>
              )}
              {open > 0 && ` · ${counted(open, "open comment")}`}
            </span>
          </span>
          <span className="shrink-0 text-xs text-faint tabular-nums">{dollars(spent.microDollars)}</span>
        </summary>
        <div className="flex flex-col gap-2 py-1.5 pr-2 pl-[38px] text-sm">
          <p className="line-clamp-4 text-pretty text-muted" title={purpose} data-selectable>
            {purposeInShort(purpose)}
          </p>
          <Facts archangel={archangel} />
        </div>
      </details>
    </li>
  );
}

/** What it has been told, as far as its model has answered. */
function Facts({ archangel: { delivery, model, paths, wakes } }: { readonly archangel: ArchangelView }) {
  const { initialized, planHash, todosHash, parentContextOffset, lastAnalysisAt } = delivery;
  const short = (hash: string | null): string => (hash === null ? "not sent yet" : hash.slice(0, 8));
  return (
    <Terms
      terms={[
        ["Model", model],
        ["Watches", paths.length === 0 ? "every file" : paths.join(", ")],
        ["Wakes on", wakes.map((wake) => wake.replaceAll("_", " ")).join(", ")],
        ["Started", initialized ? "yes" : "no"],
        ["Plan", short(planHash)],
        ["Steps", short(todosHash)],
        ["Received", counted(parentContextOffset, "event")],
        ["Reviewed", lastAnalysisAt === null ? "never" : <RelativeTime key="at" at={lastAnalysisAt} />],
      ]}
    />
  );
}
