import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import type { ReactNode } from "react";

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string; readonly icon?: ReactNode }[];
  readonly onChange: (value: T) => void;
}

/** A choice of one among a few, side by side. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={(next) => {
        const chosen = options.find((option) => option.value === next[0]);
        if (chosen) onChange(chosen.value);
      }}
      className="inline-flex h-7 shrink-0 items-center gap-0.5 rounded-md bg-sunken p-0.5"
    >
      {options.map((option) => (
        <Toggle
          key={option.value}
          value={option.value}
          className="inline-flex h-6 items-center gap-1.5 rounded-[5px] px-2 text-sm text-muted hover:text-text data-[pressed]:bg-surface data-[pressed]:text-text data-[pressed]:shadow-[0_1px_2px_rgb(0_0_0/0.12)]"
        >
          {option.icon}
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
