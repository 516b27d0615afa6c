import { Copy, ExternalLink, FolderOpen, PencilLine, SquareTerminal } from "lucide-react";
import { type OpenerKind, openerKinds } from "#shared/domain/open-in/opener.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import type { MenuEntry } from "../../kit/menu.tsx";
import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { changeOfKey, useGraph } from "../../state/graph-store.ts";
import { copyText } from "../../state/notify.ts";
import { openerNames, openIn, useElsewhere } from "../../state/open-in.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { useSelection } from "../../state/selection-store.ts";

const icons: Readonly<Record<OpenerKind, React.ReactNode>> = {
  editor: <PencilLine size={14} />,
  terminal: <SquareTerminal size={14} />,
  files: <FolderOpen size={14} />,
};
const labels: Readonly<Record<OpenerKind, string>> = {
  editor: "Editor",
  terminal: "Terminal",
  files: "File manager",
};
const keysOf: Readonly<Record<OpenerKind, string>> = {
  editor: "alt+e",
  terminal: "alt+t",
  files: "alt+f",
};

/** The files of a recording are not on this machine. */
const selectedChange = (): string | null => {
  const { selected } = useSelection.getState();
  const { graph } = useGraph.getState();
  if (selected === null || graph === null || isReplaying()) return null;
  return changeOfKey(graph, selected)?.changeId ?? null;
};

const entriesOf = (changeId: string): readonly MenuEntry[] => [
  {
    label: "Open in",
    icon: <ExternalLink size={14} />,
    items: openerKinds.map((kind) => ({
      label: labels[kind],
      icon: icons[kind],
      keys: keysOf[kind],
      onSelect: () => openIn(kind, changeId),
    })),
  },
];

const actions: readonly Action[] = openerKinds.map((kind) => ({
  id: `open-in-${kind}`,
  title: `Open the selected change in the ${openerNames[kind]}`,
  group: "Selected",
  keys: keysOf[kind],
  words: "folder files path code shell reveal show workspace",
  available: () => selectedChange() !== null,
  run: () => {
    const changeId = selectedChange();
    if (changeId !== null) openIn(kind, changeId);
  },
}));

const close = (): void => useElsewhere.setState({ place: null });

/** Where a place is on the machine of the host, and the ways there. */
function ElsewhereDialog() {
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

interface RemotePlace {
  readonly for: OpenerKind;
  readonly path: string;
  readonly folder: string;
  readonly line: number | null;
  readonly machine: string;
  readonly user: string;
}

/** As a POSIX shell takes it, whatever it holds. */
export const quoted = (text: string): string =>
  /^[\w./@:+-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** What a user types on the machine in front of them, to come to a place on that of the host. */
export function commandsFor({
  for: kind,
  path,
  folder,
  line,
  machine,
  user,
}: RemotePlace): readonly { readonly name: string; readonly command: string }[] {
  const there = quoted(`${user}@${machine}`);
  const shell = {
    name: "Terminal over SSH",
    command: `ssh -t ${there} ${quoted(`cd ${quoted(folder)} && exec $SHELL -l`)}`,
  };
  if (kind === "terminal") return [shell];
  if (kind === "files")
    return [
      { name: "Copy the files here", command: `scp -r ${quoted(`${user}@${machine}:${folder}`)} .` },
      shell,
    ];
  const at = line === null ? "" : `:${line}`;
  return [
    {
      name: "Visual Studio Code, with Remote - SSH",
      command: `code --remote ssh-remote+${there} ${line === null ? "" : "--goto "}${quoted(`${path}${at}`)}`,
    },
    {
      name: "Editor over SSH",
      command: `ssh -t ${there} ${quoted(`\${EDITOR:-vi} ${line === null ? "" : `+${line} `}${quoted(path)}`)}`,
    },
    shell,
  ];
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
        <Button size="sm" aria-label={`Copy: ${name}`} onClick={() => void copyText("command", text)}>
          <Copy size={13} aria-hidden /> Copy
        </Button>
      </div>
    </section>
  );
}

/** A change's files in the user's own programs. */
export const openInPrograms: Feature = {
  actions,
  dialogs: [ElsewhereDialog],
  changeMenu: { order: 0.5, entriesOf },
};
