import { useState } from "react";
import type { Settings } from "#shared/contract/settings.ts";
import type { OpenersView, OpenerView } from "#shared/contract/views/app.ts";
import { type OpenerKind, openerKinds } from "#shared/domain/open-in/opener.ts";
import { client } from "../../client.ts";
import { Field, SelectInput, TextInput } from "../../kit/field.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { attempt } from "../../state/notify.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { Section } from "./section.tsx";

const names: Readonly<Record<OpenerKind, string>> = {
  editor: "Editor",
  terminal: "Terminal",
  files: "File manager",
};

/** Which programs open files and folders of changes. */
export function OpenInSettings({ chosen }: { readonly chosen: Settings["openIn"] }) {
  const loaded = useLoaded("openIn.programs", () => client.openIn.programs());
  return (
    <Section title="Open in">
      {loaded.kind === "failed" && <LoadFailure failure={loaded.failure} again={loaded.again} />}
      {loaded.kind === "loaded" && (
        <div className="flex flex-col gap-3">
          {openerKinds.map((kind) => (
            <Chosen key={kind} kind={kind} command={chosen[kind]} openers={loaded.value} />
          ))}
          <p className="text-sm text-faint">
            A custom command may contain {"{path}"}, {"{folder}"}, {"{line}"} and {"{column}"}. Hox starts it
            without a shell, only for windows on its own machine, and never reads it from a repository.
          </p>
        </div>
      )}
    </Section>
  );
}

interface ChosenProps {
  readonly kind: OpenerKind;
  /** Empty: the first that is there. */
  readonly command: string;
  readonly openers: OpenersView;
}

const own = "own";

function Chosen({ kind, command, openers }: ChosenProps) {
  const known = openers[kind];
  const isListed = known.some((one) => one.command === command);
  const [writesOwn, setWritesOwn] = useState(command !== "" && !isListed);
  const isOwn = writesOwn || (command !== "" && !isListed);
  return (
    <div className="flex items-end gap-2">
      <div className="w-56 shrink-0">
        <Field label={names[kind]}>
          <SelectInput
            value={isOwn ? own : command}
            onChange={({ target }) => {
              setWritesOwn(target.value === own);
              if (target.value !== own) change(kind, target.value);
            }}
          >
            <option value="">{automatic(known)}</option>
            {known.map((one) => (
              <option key={one.command} value={one.command}>
                {one.name}
                {one.isFound ? "" : " (not found)"}
              </option>
            ))}
            <option value={own}>Custom command…</option>
          </SelectInput>
        </Field>
      </div>
      {isOwn && <OwnCommand kind={kind} command={command} />}
    </div>
  );
}

const automatic = (known: readonly OpenerView[]): string => {
  const first = known.find(({ isFound }) => isFound);
  return first ? `Default: ${first.name}` : "Default: none found";
};

function OwnCommand({ kind, command }: Pick<ChosenProps, "kind" | "command">) {
  const [text, setText] = useState(command);
  const save = (): void => {
    if (text.trim() !== command) change(kind, text.trim());
  };
  return (
    <TextInput
      aria-label={`Command of the ${names[kind].toLowerCase()}`}
      className="min-w-0 flex-1 font-mono text-sm"
      placeholder={kind === "editor" ? "my-editor {path}:{line}" : "my-program {folder}"}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter") save();
      }}
    />
  );
}

const change = (kind: OpenerKind, command: string): void =>
  void attempt("The setting was not saved", () => client.settings.change({ openIn: { [kind]: command } }));
