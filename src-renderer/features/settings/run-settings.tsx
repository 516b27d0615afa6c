import { useState } from "react";
import type { Settings } from "#shared/contract/views/settings.ts";
import { client } from "../../client.ts";
import { parseDollars, parseTokens } from "../../kit/amounts.ts";
import { Field, TextInput } from "../../kit/field.tsx";
import { attempt } from "../../state/notice-store.ts";
import { Section } from "./section.tsx";

type Patch = Parameters<typeof client.settings.change>[0];

const save = (patch: Patch): void =>
  void attempt("The setting was not saved", () => client.settings.change(patch));

/** What a new run starts with, unless the repository's own configuration or the person says otherwise. */
export function RunSettings({ settings }: { readonly settings: Settings }) {
  return (
    <Section title="New runs">
      <div className="grid grid-cols-2 gap-x-3 gap-y-1">
        <SavedField
          label="Model"
          initial={settings.model}
          parse={(text) => text.trim() || undefined}
          onSave={(model) => save({ model })}
          mistake="Name a model"
        />
        <SavedField
          label="Agents at once"
          initial={String(settings.maxParallelAgents)}
          parse={(text) =>
            /^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 64 ? Number(text) : undefined
          }
          onSave={(maxParallelAgents) => save({ maxParallelAgents })}
          mistake="A number from 1 to 64"
        />
        <SavedField
          label="Cost limit ($)"
          hint="Leave empty for no limit"
          initial={
            settings.defaultMicroDollars === null ? "" : String(settings.defaultMicroDollars / 1_000_000)
          }
          parse={parseDollars}
          onSave={(defaultMicroDollars) => save({ defaultMicroDollars })}
          mistake="Such as 5 or 2.50"
        />
        <SavedField
          label="Token limit"
          hint="Leave empty for no limit"
          initial={settings.defaultTokens === null ? "" : String(settings.defaultTokens)}
          parse={parseTokens}
          onSave={(defaultTokens) => save({ defaultTokens })}
          mistake="Such as 200k"
        />
      </div>
    </Section>
  );
}

interface SavedFieldProps<T> {
  readonly label: string;
  readonly hint?: string;
  readonly initial: string;
  /** Undefined: not a value. */
  readonly parse: (text: string) => T | undefined;
  readonly onSave: (value: T) => void;
  readonly mistake: string;
}

/** Saved when the person leaves the field or presses Enter, if it is a value and has changed. */
function SavedField<T>({ label, hint, initial, parse, onSave, mistake }: SavedFieldProps<T>) {
  const [text, setText] = useState(initial);
  const value = parse(text);
  const commit = (): void => {
    if (value !== undefined && text !== initial) onSave(value);
  };
  return (
    <Field label={label} hint={hint ?? " "} error={value === undefined ? mistake : null}>
      {(ids) => (
        <TextInput
          {...ids}
          aria-invalid={value === undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => event.key === "Enter" && commit()}
        />
      )}
    </Field>
  );
}
