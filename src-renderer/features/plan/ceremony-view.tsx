import { ChevronDown } from "lucide-react";
import {
  type Ceremony,
  type CeremonyPart,
  type CeremonyWishes,
  ceremonyParts,
  ceremonyValues,
} from "#shared/domain/ceremony/ceremony-parts.ts";
import { ceremonyWords } from "#shared/domain/ceremony/ceremony-words.ts";
import type { CeremonyEdit } from "#shared/domain/plan/plan-edit.ts";
import { Menu } from "../../kit/menu.tsx";

const labels: Readonly<Record<CeremonyPart, string>> = {
  contracts: "Contracts",
  reviews: "Reviews",
  integrator: "Integrator",
  seats: "Validators",
  learning: "Learning",
};

interface CeremonyViewProps {
  readonly ceremony: Ceremony;
  /** What was asked for in place of what the plan asks for by itself. */
  readonly wishes: CeremonyWishes | undefined;
  /** Absent: it is only read. */
  readonly onEdit?: ((edit: CeremonyEdit) => void) | undefined;
  /** Parts that cannot be chosen any more. */
  readonly settled?: readonly CeremonyPart[];
}

/** What a run does beside its agents, each part with its reason and a menu of what else it may be. */
export function CeremonyView({ ceremony, wishes, onEdit, settled = [] }: CeremonyViewProps) {
  return (
    <section aria-label="Process">
      <h4 className="mb-1 text-sm font-medium text-muted">Process (contracts, reviews, validation)</h4>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1 text-sm">
        {ceremonyParts.map((part) => {
          const { value, by, reason } = ceremony[part];
          const words = ceremonyWords(part, value);
          const isOpen = onEdit !== undefined && by !== "configuration" && !settled.includes(part);
          return (
            <div key={part} className="contents">
              <dt className="text-faint">{labels[part]}</dt>
              <dd className="min-w-0">
                {isOpen ? (
                  <Menu
                    trigger={
                      <button
                        type="button"
                        aria-label={`${labels[part]}: ${words}`}
                        className="inline-flex items-center gap-0.5 rounded-sm font-medium hover:bg-hover"
                      >
                        {words}
                        <ChevronDown size={12} className="text-faint" aria-hidden />
                      </button>
                    }
                    entries={[
                      {
                        label: "As the plan asks",
                        checked: wishes?.[part]?.by !== "person",
                        onSelect: () => onEdit({ kind: "ceremony", part, value: null } as CeremonyEdit),
                      },
                      "separator",
                      ...ceremonyValues[part].map((choice) => ({
                        label: ceremonyWords(part, choice),
                        checked: wishes?.[part]?.by === "person" && choice === value,
                        onSelect: () => onEdit({ kind: "ceremony", part, value: choice } as CeremonyEdit),
                      })),
                    ]}
                  />
                ) : (
                  <span className="font-medium">{words}</span>
                )}{" "}
                <span className="text-muted">{reason}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
