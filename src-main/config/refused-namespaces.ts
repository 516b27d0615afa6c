import { readFileSync } from "node:fs";

/** System settings that keep ordinary programs from creating user namespaces, and how to allow bubblewrap. */
const refusals: readonly (readonly [
  setting: string,
  refuses: (value: number) => boolean,
  holdsRoot: boolean,
  remedy: string,
])[] = [
  [
    "user/max_user_namespaces",
    (value) => value === 0,
    true,
    "Allow them with `sudo sysctl -w user.max_user_namespaces=10000`.",
  ],
  [
    "kernel/unprivileged_userns_clone",
    (value) => value === 0,
    false,
    "Allow them with `sudo sysctl -w kernel.unprivileged_userns_clone=1`.",
  ],
  [
    "kernel/apparmor_restrict_unprivileged_userns",
    (value) => value !== 0,
    false,
    "Load AppArmor's profile for bubblewrap (`sudo apt install apparmor-profiles`, then copy `bwrap-userns-restrict` from /usr/share/apparmor/extra-profiles to /etc/apparmor.d and `sudo systemctl reload apparmor`), or allow them to every program with `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`.",
  ],
];

export interface RefusedNamespaces {
  /** The setting, as `sysctl` names it, with its value. */
  readonly setting: string;
  readonly remedy: string;
}

/** The setting that forbids user namespaces here, and the remedy; null where none does. */
export function refusedNamespaces(
  isRoot: boolean = process.getuid?.() === 0,
  settingOf: (name: string) => number | null = setting,
): RefusedNamespaces | null {
  for (const [name, refuses, holdsRoot, remedy] of refusals) {
    const value = isRoot && !holdsRoot ? null : settingOf(name);
    if (value === null || !refuses(value)) continue;
    return { setting: `${name.replaceAll("/", ".")} is ${value}`, remedy };
  }
  return null;
}

function setting(name: string): number | null {
  try {
    return Number(readFileSync(`/proc/sys/${name}`, "utf8"));
  } catch {
    // This system has no such switch.
    return null;
  }
}
