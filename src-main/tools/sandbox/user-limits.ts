import { readFileSync } from "node:fs";

/** A setting of the kernel's for one user namespace, below `folder`. */
export interface UserLimit {
  readonly name: string;
  readonly value: number;
}

export const folder = "/proc/sys/user";

/** One command's share of the kernel's limits for a user: others run meanwhile, and the user's programs. */
const part = 1 / 8;

/** What the kernel counts per user and can limit per namespace, with generous limits. */
const most: Readonly<Record<string, number>> = {
  max_inotify_instances: 1024,
  max_inotify_watches: 2 ** 17,
  max_fanotify_groups: 16,
  max_fanotify_marks: 2 ** 13,
};

/** What one command may have; nothing for what this kernel does not count. */
export function userLimits(settingOf: (name: string) => number | null = setting): readonly UserLimit[] {
  return Object.keys(most).flatMap((name) =>
    settingOf(name) === null ? [] : [{ name, value: ownShare(name, settingOf) }],
  );
}

/** The limits of one command, however they are enforced. */
export function ownShare(
  name: keyof typeof most,
  settingOf: (name: string) => number | null = setting,
): number {
  const whole = settingOf(name) ?? Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(most[name] ?? 1, Math.floor(whole * part)));
}

function setting(name: string): number | null {
  try {
    const value = Number(readFileSync(`${folder}/${name}`, "utf8"));
    return Number.isInteger(value) ? value : null;
  } catch {
    // A kernel that does not count it.
    return null;
  }
}
