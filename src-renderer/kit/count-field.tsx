import { useState } from "react";
import { Field, TextInput } from "./field.tsx";

/** A field for a whole number from 1; `count` is null while what is typed is none. */
export function useCountField({
  label,
  before,
  most,
}: {
  readonly label: string;
  readonly before: number;
  readonly most: number;
}): { readonly count: number | null; readonly field: React.ReactNode } {
  const [text, setText] = useState(String(before));
  const number = Number(text.trim());
  const count = /^\d+$/u.test(text.trim()) && number >= 1 && number <= most ? number : null;
  return {
    count,
    field: (
      <Field label={label} error={count === null ? `A number from 1 to ${most}` : null}>
        {(ids) => (
          <TextInput
            {...ids}
            inputMode="numeric"
            aria-invalid={count === null}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    ),
  };
}
