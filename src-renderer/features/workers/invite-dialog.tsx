import { Check, Copy } from "lucide-react";
import { useState } from "react";
import {
  type InvitationView,
  isDirect,
  type MachineView,
  machinePlaceholder,
} from "#shared/domain/places/machine-view.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { copyText } from "../../state/notify.ts";
import { useLoaded } from "../../state/use-loaded.ts";

interface InviteDialogProps {
  readonly machines: readonly MachineView[];
  readonly onClose: () => void;
}

/** Makes an invitation when it opens, and shows it once: Hox keeps no copy. */
export function InviteDialog({ machines, onClose }: InviteDialogProps) {
  const loaded = useLoaded("", () => client.machine.invite());
  const [before] = useState(() => new Set(machines.map(({ id }) => id)));
  const joined = machines.find(({ id }) => !before.has(id)) ?? null;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite a worker"
      description="The invitation is valid once, for an hour. It is shown only here."
      width="w-[600px]"
      actions={
        <Button look={joined === null ? "secondary" : "primary"} onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="flex min-h-44 flex-col gap-4">
        {loaded.kind === "failed" ? (
          <LoadFailure failure={loaded.failure} again={loaded.again} />
        ) : loaded.kind === "loading" ? (
          <IndeterminateLine label="Making an invitation" />
        ) : (
          <Commands invitation={loaded.value} />
        )}
        <p role="status" className="flex items-center gap-1.5 text-sm text-success">
          {joined !== null && (
            <>
              <Check size={14} aria-hidden /> {shownName(joined.name)} has joined.
            </>
          )}
        </p>
      </div>
    </Dialog>
  );
}

const Commands = ({ invitation }: { readonly invitation: InvitationView }) => (
  <>
    <p className="text-muted">
      The machine needs Git and, on Linux, bubblewrap. Use one of these commands while Hox runs here.
    </p>
    <Command
      title="From this machine, over SSH"
      hint={`Replace ${machinePlaceholder}. The machine works for you until you press Ctrl-C.`}
      copied="SSH command"
      command={invitation.overSsh}
    />
    <Command
      title="On the other machine"
      hint={
        isDirect(invitation)
          ? "It reaches this one directly, with TLS."
          : "Through a tunnel to this one. Behind a proxy with TLS, give its wss:// address instead."
      }
      copied="join command"
      command={invitation.command}
    />
    {invitation.withoutHox !== null && (
      <Command
        title="On a machine without Hox"
        hint={`It needs Node 22.13 or later, and gets the worker from this host.${isDirect(invitation) ? "" : " Through the same tunnel."}`}
        copied="command for a machine without Hox"
        command={invitation.withoutHox}
      />
    )}
  </>
);

interface CommandProps {
  readonly title: string;
  readonly hint: string;
  /** What is copied, as in “Copied the join command”. */
  readonly copied: string;
  readonly command: string;
}

const Command = ({ title, hint, copied, command }: CommandProps) => (
  <section aria-label={title} className="flex flex-col gap-1">
    <h3 className="text-sm font-medium">{title}</h3>
    <div className="flex items-start gap-1.5">
      <code
        className="max-h-22 min-w-0 flex-1 overflow-y-auto rounded-md bg-sunken px-2 py-1 font-mono text-xs break-all"
        data-selectable
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one is scrolled by keys, too
        tabIndex={0}
      >
        {command}
      </code>
      <Button size="sm" aria-label={`Copy the ${copied}`} onClick={() => void copyText(copied, command)}>
        <Copy size={13} aria-hidden /> Copy
      </Button>
    </div>
    <p className="text-sm text-faint">{hint}</p>
  </section>
);
