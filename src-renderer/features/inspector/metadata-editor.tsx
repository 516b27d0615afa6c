import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import type { Change } from "#shared/graph/change.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { type Term, Terms } from "../../kit/section.tsx";
import {
  PriorityIcon,
  priorityEntries,
  StatusIcon,
  statusEntries,
  statusNames,
} from "../../kit/status-icon.tsx";
import { editMetadata } from "../../state/graph-edits.ts";
import { attempt } from "../../state/notify.ts";

/** Status and priority can be set; the rest is written by the run and only read here. */
export function MetadataEditor({ change }: { readonly change: Change }) {
  const { metadata, immutable } = change;
  const set = (patch: MetadataPatch): void =>
    void attempt("The metadata was not saved", () => editMetadata(change, patch));
  const { status, priority, agent, orchestrator, phase, iteration, msgTo, msgType, run, metrics } = metadata;
  const read: readonly Term[] = [
    ["Agent", agent && <Named name={agent} />],
    ["Orchestrator", orchestrator && <Named name={orchestrator} />],
    ["Phase", phase],
    ["Iterations", iteration],
    ["To", msgTo],
    ["Message", msgType],
    ["Run", run],
    ["Metrics", metrics && <Metrics line={metrics} />],
  ];
  if (immutable && !status && !priority && read.every(([, value]) => value === undefined)) return null;
  return (
    <Terms
      terms={[
        [
          "Status",
          <Choice
            key="status"
            label="Status"
            disabled={immutable}
            icon={status && <StatusIcon status={status} />}
            value={status && statusNames[status]}
            entries={statusEntries(status, (chosen) => set({ status: chosen }))}
            onNone={() => set({ status: null })}
          />,
        ],
        [
          "Priority",
          <Choice
            key="priority"
            label="Priority"
            disabled={immutable}
            icon={priority && <PriorityIcon priority={priority} />}
            value={priority}
            entries={priorityEntries(priority, (chosen) => set({ priority: chosen }))}
            onNone={() => set({ priority: null })}
          />,
        ],
        ...read,
      ]}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly icon: React.ReactNode;
  readonly value: string | undefined;
  readonly entries: readonly MenuEntry[];
  readonly onNone: () => void;
  readonly disabled: boolean;
}

function Choice({ label, icon, value, entries, onNone, disabled }: ChoiceProps) {
  if (disabled)
    return (
      <span className="inline-flex items-center gap-1.5">
        {icon} {value ?? <span className="text-faint">–</span>}
      </span>
    );
  return (
    <Menu
      entries={[...entries, "separator", { label: "None", onSelect: onNone }]}
      trigger={
        <button
          type="button"
          className="-ml-1.5 inline-flex h-6 items-center gap-1.5 rounded-sm px-1.5 hover:bg-hover"
        >
          {value === undefined ? (
            <span className="text-faint">Set {label.toLowerCase()}</span>
          ) : (
            <>
              <span className="sr-only">{label}:</span>
              {icon} {value}
            </>
          )}
        </button>
      }
    />
  );
}

const Named = ({ name }: { readonly name: string }) => (
  <span className="inline-flex items-center gap-1.5">
    <Avatar name={name} />
    {name}
  </span>
);

/** The one-line JSON of `Hox-Metrics`: as figures if it is valid, else as text. */
function Metrics({ line }: { readonly line: string }) {
  let figures: [string, unknown][] | null = null;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null)
      figures = Object.entries(value).filter(([, part]) => typeof part !== "object");
  } catch {
    figures = null;
  }
  if (!figures) return <code className="font-mono text-xs">{line}</code>;
  return (
    <span className="flex flex-wrap gap-x-2.5 whitespace-normal">
      {figures.map(([name, value]) => (
        <span key={name}>
          <span className="text-faint">{name.replaceAll("_", " ")}</span> {String(value)}
        </span>
      ))}
    </span>
  );
}
