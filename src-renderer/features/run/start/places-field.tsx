import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Field, SelectInput } from "../../../kit/field.tsx";
import { useWorkerLabels } from "../../../state/workers.ts";

interface PlacesFieldProps {
  /** As chosen: a label of workers, or empty: this machine. */
  readonly on: string;
  readonly onChange: (on: string) => void;
}

/** On which machines agents work. Nothing where there are no workers to choose. */
export function PlacesField({ on, onChange }: PlacesFieldProps) {
  const labels = useWorkerLabels();
  if (labels.length === 0) return null;
  const isKnown = on === "" || labels.some(({ label }) => label === on);
  return (
    <Field
      label="Where agents work"
      hint={on === "" ? undefined : "Where no such worker has room, they work on this machine."}
    >
      <SelectInput value={on} onChange={(event) => onChange(event.target.value)}>
        <option value="">This machine</option>
        {labels.map(({ label, machines }) => (
          <option key={label} value={label}>
            {shownLine(label)} ({counted(machines, "worker")})
          </option>
        ))}
        {!isKnown && <option value={on}>{shownLine(on)} (no workers)</option>}
      </SelectInput>
    </Field>
  );
}
