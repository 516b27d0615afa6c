import { keysOfCards } from "#shared/contract/cards/answer-options.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Keys } from "../kit/keys.tsx";
import { registeredActions } from "../registry/registry.ts";
import { closeDialog } from "../state/selection-store.ts";

const inPlace: readonly {
  readonly title: string;
  readonly rows: readonly (readonly [keys: string, what: string])[];
}[] = [
  {
    title: "In the graph",
    rows: [
      ["ArrowUp", "previous change"],
      ["ArrowDown", "next change"],
      ["ArrowLeft", "first child"],
      ["ArrowRight", "first parent"],
      ["Home", "newest change"],
      ["End", "oldest change"],
      ["Enter", "show in the inspector, unfold history"],
      ["shift+F10", "menu of the change"],
      ["F2", "edit the description"],
      ["Delete", "abandon the change"],
      ["Escape", "cancel a drag or a rebase"],
    ],
  },
  {
    title: "In a proposed plan",
    rows: [
      ["n", "add a task"],
      ["l", "choose what it waits for"],
      ["[", "to the phase before"],
      ["]", "to the next phase"],
      ["1", "critical, to 4 for low"],
      ["Delete", "remove the task"],
    ],
  },
  { title: "On a card in the inbox", rows: keysOfCards() },
  {
    title: "On a comment",
    rows: [
      ["s", "send it to its agent"],
      ["r", "reply"],
      ["e", "resolve it, or open it again"],
    ],
  },
  {
    title: "In the queue",
    rows: [
      ["alt+ArrowUp", "move the task up"],
      ["alt+ArrowDown", "move the task down"],
      ["Enter", "show in the inspector"],
    ],
  },
];

export function KeyboardHelp() {
  const row = (keys: string, what: string) => (
    <div key={what} className="flex h-6 items-center justify-between gap-4">
      <dt className="truncate first-letter:uppercase">{what}</dt>
      <dd>
        <Keys keys={keys} />
      </dd>
    </div>
  );
  return (
    <Dialog open onClose={closeDialog} title="Keyboard shortcuts" width="w-[680px]">
      <div className="grid grid-cols-2 gap-x-10 gap-y-4">
        <section>
          <h3 className="mb-1 text-sm font-medium text-muted">Everywhere</h3>
          <dl>
            {registeredActions().map((action) => (action.keys ? row(action.keys, action.title) : null))}
          </dl>
        </section>
        <div className="flex flex-col gap-4">
          {inPlace.map((place) => (
            <section key={place.title}>
              <h3 className="mb-1 text-sm font-medium text-muted">{place.title}</h3>
              <dl>{place.rows.map(([keys, what]) => row(keys, what))}</dl>
            </section>
          ))}
        </div>
      </div>
      <p className="mt-3 text-muted">
        In the graph, type the beginning of a description or of a change id to jump to it.
      </p>
    </Dialog>
  );
}
