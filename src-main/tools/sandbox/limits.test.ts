import { expect, test } from "vitest";
import { defaultLimits, limitedShell, ownShare, userLimits } from "./limits.ts";

test("a command gets an eighth of what the kernel counts for a user, up to a maximum", () => {
  const ordinary = new Map([
    ["max_inotify_instances", 128],
    ["max_inotify_watches", 192_536],
  ]);
  expect(userLimits((name) => ordinary.get(name) ?? null)).toEqual([
    { name: "max_inotify_instances", value: 16 },
    { name: "max_inotify_watches", value: 24_067 },
  ]);
  // As within another user namespace, where nobody has said yet what there is.
  expect(userLimits(() => 2 ** 31 - 1).every(({ value }) => value <= 2 ** 17)).toBe(true);
  expect(userLimits(() => 0).map(({ value }) => value)).toEqual([1, 1, 1, 1]);
  expect(userLimits(() => null)).toEqual([]);
  expect(ownShare("max_inotify_instances", () => null)).toBe(1024);
});

test("a shell has the kernel's limits, and requests none above Hox's own", () => {
  const own = [
    "Limit                     Soft Limit           Hard Limit           Units     ",
    "Max processes             900                  1000                 processes ",
    "Max open files            1024                 4096                 files     ",
    "Max pending signals       unlimited            unlimited            signals   ",
  ].join("\n");
  const args = limitedShell(
    "true",
    { ...defaultLimits, processes: 512, memory: 7, file: 5 },
    "/prlimit",
    own,
  );
  expect(args).toEqual([
    ...["/prlimit", "--nproc=1000", "--data=7", "--fsize=5", "--core=0", "--nofile=4096"],
    ...["--sigpending=1024", "--msgqueue=204800", "--memlock=1048576", "--", "/bin/sh", "-c", "true"],
  ]);
});
