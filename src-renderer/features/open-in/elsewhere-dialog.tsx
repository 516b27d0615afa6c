import { Copy } from "lucide-react";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { attempt, notify } from "../../state/notice-store.ts";
import { openerNames, useElsewhere } from "../../state/open-in.ts";
import { commandsFor } from "./remote-commands.ts";

const close = (): void => useElsewhere.setState({ place: null });

/** Where a place is on the machine of the host, and the ways there. */
export function ElsewhereDialog() {
  const { place } = useElsewhere();
  if (!place) return null;
  return (
    <Dialog
      open
      onClose={close}
      title={`Open in your ${openerNames[place.for]}`}
      description="Hox cannot start programs from this window. Copy a command instead."
      width="w-[560px]"
    >
      <div className="flex flex-col gap-3">
        {place.note !== null && <p className="text-sm text-warning">{place.note}</p>}
        <Line name={`On ${place.machine}`} text={place.path} />
        {commandsFor(place).map(({ name, command }) => (
          <Line key={name} name={name} text={command} />
        ))}
      </div>
    </Dialog>
  );
}

function Line({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <section aria-label={name}>
      <div className="mb-1 text-sm font-medium text-muted">{name}</div>
      <div className="flex items-start gap-1.5">
        <code
          className="min-w-0 flex-1 rounded-md bg-sunken px-2 py-1 font-mono text-xs break-all"
          data-selectable
        >
          {text}
        </code>
        <Button
          size="sm"
          aria-label={`Copy: ${name}`}
          onClick={() =>
            void attempt("The command was not copied", async () => {
              await navigator.clipboard.writeText(text);
              notify("info", "Copied.");
            })
          }
        >
          <Copy size={13} aria-hidden /> Copy
        </Button>
      </div>
    </section>
  );
}
