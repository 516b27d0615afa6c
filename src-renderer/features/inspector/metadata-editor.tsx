import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import type { Change } from "#shared/graph/change.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { priorityEntries, statusEntries } from "../../kit/metadata-entries.tsx";
import { PriorityIcon } from "../../kit/priority-icon.tsx";
import { StatusIcon, statusNames } from "../../kit/status-icon.tsx";
import { editMetadata } from "../../state/graph-edits.ts";
import { attempt } from "../../state/notify.ts";

/** Status and priority can be set; the rest is written by the run and only read here. */
export function MetadataEditor({ change }: { readonly change: Change }) {
  const { metadata, immutable } = change;
  const set = (patch: MetadataPatch): void =>
    void attempt("The metadata was not saved", () => editMetadata(change, patch));
  const read: readonly (readonly [string, React.ReactNode])[] = [
    ...(metadata.agent ? [["Agent", <Named key="agent" name={metadata.agent} />] as const] : []),
    ...(metadata.orchestrator
      ? [["Orchestrator", <Named key="orchestrator" name={metadata.orchestrator} />] as const]
      : []),
    ...(metadata.phase === undefined ? [] : [["Phase", metadata.phase] as const]),
    ...(metadata.iteration === undefined ? [] : [["Iterations", metadata.iteration] as const]),
    ...(metadata.msgTo ? [["To", metadata.msgTo] as const] : []),
    ...(metadata.msgType ? [["Message", metadata.msgType] as const] : []),
    ...(metadata.run ? [["Run", metadata.run] as const] : []),
    ...(metadata.metrics ? [["Metrics", <Metrics key="metrics" line={metadata.metrics} />] as const] : []),
  ];
  if (immutable && read.length === 0 && !metadata.status && !metadata.priority) return null;
  return (
    <dl className="grid grid-cols-[92px_1fr] items-center gap-y-1 text-sm">
      <dt className="text-faint">Status</dt>
      <dd>
        <Choice
          label="Status"
          disabled={immutable}
          value={
            metadata.status ? (
              <>
                <StatusIcon status={metadata.status} /> {statusNames[metadata.status]}
              </>
            ) : null
          }
          entries={[
            ...statusEntries(metadata.status, (status) => set({ status })),
            "separator",
            { label: "None", onSelect: () => set({ status: null }) },
          ]}
        />
      </dd>
      <dt className="text-faint">Priority</dt>
      <dd>
        <Choice
          label="Priority"
          disabled={immutable}
          value={
            metadata.priority ? (
              <>
                <PriorityIcon priority={metadata.priority} /> {metadata.priority}
              </>
            ) : null
          }
          entries={[
            ...priorityEntries(metadata.priority, (priority) => set({ priority })),
            "separator",
            { label: "None", onSelect: () => set({ priority: null }) },
          ]}
        />
      </dd>
      {read.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="min-w-0 truncate" data-selectable>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: React.ReactNode | null;
  readonly entries: readonly MenuEntry[];
  readonly disabled: boolean;
}

function Choice({ label, value, entries, disabled }: ChoiceProps) {
  if (disabled)
    return (
      <span className="inline-flex items-center gap-1.5">
        {value ?? <span className="text-faint">–</span>}
      </span>
    );
  return (
    <Menu
      entries={entries}
      trigger={
        <button
          type="button"
          className="-ml-1.5 inline-flex h-6 items-center gap-1.5 rounded-sm px-1.5 hover:bg-hover"
        >
          {value === null ? (
            <span className="text-faint">Set {label.toLowerCase()}</span>
          ) : (
            <>
              <span className="sr-only">{label}:</span>
              {value}
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
