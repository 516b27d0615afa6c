import { Filter } from "lucide-react";
import { useState } from "react";
import type { SavedFilter } from "#shared/contract/settings.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { preferences, saveFilters, usePreference } from "../../state/preferences.ts";
import { setFilterText, useSelection } from "../../state/selection-store.ts";

const suggestions: readonly (readonly [label: string, revset: string])[] = [
  ["Work that can start", "ready()"],
  ["In progress", "status(in_progress)"],
  ["Tasks", "kind(task)"],
  ["Decisions", "kind(mutation)"],
  ["Conflicts", "conflicts()"],
  ["Not yet landed", "mutable()"],
  ["Last week", 'committer_date(after:"1 week ago")'],
];

/** Suggested filters, one's own, and what becomes of what does not match. */
export function FilterMenu({ disabled }: { readonly disabled: boolean }) {
  const text = useSelection((state) => state.filterText.trim());
  const hides = useSelection((state) => state.filterHides);
  const saved = usePreference("savedFilters");
  const [naming, setNaming] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label="Suggested filters"
            disabled={disabled}
            className="absolute left-1 z-10 inline-flex size-6 items-center justify-center rounded-sm text-faint hover:text-text"
          >
            <Filter size={13} aria-hidden />
          </button>
        }
        entries={[
          ...ownEntries(saved, text, () => setNaming(true)),
          ...suggestions.map(([label, revset]) => ({ label, onSelect: () => setFilterText(revset) })),
          "separator" as const,
          {
            label: "Hide changes that do not match",
            checked: hides,
            onSelect: () => useSelection.setState({ filterHides: !hides }),
          },
        ]}
      />
      {naming && <NameFilter text={text} onClose={() => setNaming(false)} />}
    </>
  );
}

function ownEntries(saved: readonly SavedFilter[], text: string, save: () => void): readonly MenuEntry[] {
  const isSaved = saved.some((one) => one.text === text);
  return [
    ...saved.map((one) => ({
      label: one.name,
      checked: one.text === text,
      onSelect: () => setFilterText(one.text),
    })),
    ...(text === "" || isSaved ? [] : [{ label: "Save this filter…", onSelect: save }]),
    ...(saved.length === 0
      ? []
      : [
          {
            label: "Delete a saved filter",
            items: saved.map((one) => ({ label: one.name, danger: true, onSelect: () => forget(one) })),
          },
        ]),
    ...(saved.length > 0 || text !== "" ? ["separator" as const] : []),
  ];
}

const forget = ({ name }: SavedFilter): void =>
  saveFilters(preferences().savedFilters.filter((one) => one.name !== name));

const maxNameLength = 100;

function NameFilter({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const [name, setName] = useState(text.slice(0, maxNameLength));
  const called = name.trim();
  const save = (): void => {
    if (called === "") return;
    const others = preferences().savedFilters.filter((one) => one.name !== called);
    saveFilters([...others, { name: called, text }]);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save this filter"
      description={text}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={called === ""} onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <Field label="Name" hint="Saved filters appear in this menu and the command palette.">
        <TextInput
          autoFocus
          maxLength={maxNameLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // Or it would press the button that has the focus once this is closed.
            event.preventDefault();
            save();
          }}
        />
      </Field>
    </Dialog>
  );
}
