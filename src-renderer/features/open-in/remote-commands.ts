/** What a person types on the machine in front of them, to come to a place on that of the host. */
import type { OpenerKind } from "#shared/domain/open-in/opener.ts";

export interface RemotePlace {
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
