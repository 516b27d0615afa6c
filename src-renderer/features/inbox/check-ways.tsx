import { waysOn } from "#shared/domain/project/ways-on.ts";
import { Button } from "../../kit/button.tsx";
import { Field, TextInput } from "../../kit/field.tsx";

interface CheckWaysProps {
  readonly name: string;
  readonly command: string;
  /** A command without the part that fails; null where Hox knows none. */
  readonly exclude: string | null;
  /** What runs in its place, as it is typed. */
  readonly instead: string;
  readonly onInstead: (command: string) => void;
  /** Absent where another control says so. */
  readonly onStop?: () => void;
}

/** What can be done about a check that keeps failing or proves nothing, and what each way means. */
export function CheckWays({ name, command, exclude, instead, onInstead, onStop }: CheckWaysProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <ul className="list-disc pl-4 text-sm text-muted">
        <li>{waysOn.narrow}</li>
        <li>
          {waysOn.exclude}
          {exclude !== null && exclude !== instead && (
            <Button look="ghost" size="sm" className="ml-1" onClick={() => onInstead(exclude)}>
              Fill in
            </Button>
          )}
        </li>
        <li>
          {waysOn.stop}
          {onStop !== undefined && (
            <Button look="ghost" size="sm" className="ml-1" onClick={onStop}>
              Stop counting {name}
            </Button>
          )}
        </li>
      </ul>
      <Field label={`Command of ${name} in this run`} hint="It is tried on the base first.">
        <TextInput
          className="font-mono text-xs"
          placeholder={command}
          value={instead}
          onChange={(event) => onInstead(event.target.value)}
        />
      </Field>
    </div>
  );
}
