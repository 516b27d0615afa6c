import { Dialog } from "../kit/dialog.tsx";
import { Keys } from "../kit/keys.tsx";
import { registeredActions, registeredKeys } from "../registry/registry.ts";
import { useHost } from "../state/host-store.ts";
import { closeDialog } from "../state/selection-store.ts";

interface Line {
  readonly keys: string;
  readonly to?: string;
  readonly what: string;
}

/** Taken by the View menu, or by the browser that the page is in. */
const zoomKeys: readonly Line[] = [
  { keys: "mod+=", what: "draw everything larger" },
  { keys: "mod+-", what: "draw everything smaller" },
  { keys: "mod+0", what: "draw everything as it is made" },
];

/** The keys that work everywhere, and those of each part of the window: what is listed is what is taken. */
export function KeyboardHelp() {
  const everywhere = registeredActions().flatMap(({ keys, title }): Line[] =>
    keys ? [{ keys, what: title }] : [],
  );
  const isDesktop = useHost((state) => state.app?.shell === "electron");
  return (
    <Dialog open onClose={closeDialog} title="Keyboard shortcuts" isOnlyRead width="w-[760px]">
      <div className="columns-2 gap-x-10 max-[700px]:columns-1">
        <Lines title="Everywhere" lines={everywhere} />
        <Lines title={isDesktop ? "Zoom" : "Zoom, by the browser itself"} lines={zoomKeys} />
        {registeredKeys().map(({ place, rows }) => (
          <Lines key={place} title={place} lines={rows} />
        ))}
      </div>
      <p className="mt-3 text-muted">
        In the graph, type the beginning of a description or of a change id to jump to it. Ctrl or ⌘ with
        Enter sends what you write. Escape empties a search and leaves any other field with its words; outside
        of a field it closes a page.
      </p>
    </Dialog>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) {
  return (
    <section className="mb-4" aria-label={title}>
      <h3 className="mb-1 break-after-avoid text-sm font-medium text-muted">{title}</h3>
      <dl>
        {lines.map(({ keys, to, what }) => (
          <div
            key={`${keys} ${what}`}
            className="flex min-h-6 break-inside-avoid items-baseline justify-between gap-4"
          >
            <dt className="first-letter:uppercase">{what}</dt>
            <dd className="flex shrink-0 items-baseline gap-1">
              <Keys keys={keys} />
              {to && (
                <>
                  <span className="text-xs text-faint">to</span>
                  <Keys keys={to} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
