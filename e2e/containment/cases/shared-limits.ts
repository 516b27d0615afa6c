import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";

/** What a program of the person does, in Python, and prints `works` when it can. */
const outside = (program: string): string =>
  execFileSync("/usr/bin/python3", ["-c", `import ctypes, os, fcntl\nlibc = ctypes.CDLL(None)\n${program}`], {
    encoding: "utf8",
    timeout: 20_000,
  });

/**
 * Something that the kernel counts for a user or for the whole machine: a command takes all that it gets, and the person
 * asks for a little meanwhile.
 */
const takes = (name: string, source: string, take: string, ask: string): Case => ({
  name,
  source,
  // Where it succeeds, everybody else on the machine goes without for that moment.
  tries: { long: 3, short: 0 },
  impossible: () => withoutPython() ?? (outside(ask).includes("works") ? null : "nobody gets any of it here"),
  attack: async (ground) => {
    const stop = new AbortController();
    const running = ground.run(
      python(`# ${ground.marker}
import fcntl, resource
kept = []
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
${take}
open("taken", "w").write(str(len(kept)))
time.sleep(60)`),
      { signal: stop.signal },
    );
    for (
      const begun = performance.now();
      !existsSync(ground.inside("taken")) && performance.now() - begun < 20_000;
    )
      await wait(20);
    ground.note = outside(ask);
    stop.abort();
    await running;
  },
  judge: (ground) => {
    if (!existsSync(ground.inside("taken"))) return failed("the attack did not run");
    return ground.note.includes("works") ? refused : failed("the person gets none of it meanwhile");
  },
});

/** A command that keeps to its own limits can still starve the host by taking what everybody shares. */
export const sharedLimits: Family = {
  name: "shared limits",
  cases: [
    takes(
      "watches-for-files",
      "own",
      "for index in range(3000):\n    fd = libc.inotify_init1(0)\n    if fd < 0: break\n    kept.append(fd)",
      "fd = libc.inotify_init1(0)\nprint('works' if fd >= 0 else 'none')",
    ),
    takes(
      "requests-of-asynchronous-files",
      "own",
      `for events in [20000] * 20 + [2000] * 60 + [64] * 200:
    context = ctypes.c_ulong(0)
    if libc.syscall(206 if x86 else 0, events, ctypes.byref(context)) == 0: kept.append(context.value)`,
      `context = ctypes.c_ulong(0)
print('works' if libc.syscall(206 if os.uname().machine == "x86_64" else 0, 128, ctypes.byref(context)) == 0 else 'none')`,
    ),
    takes(
      "room-in-pipes",
      "own",
      `for index in range(4000):
    try: one, other = os.pipe()
    except OSError: break
    kept += [one, other]
    try: fcntl.fcntl(other, 1031, 1048576)
    except OSError: pass`,
      "one, other = os.pipe()\nos.set_blocking(other, False)\nprint('works' if fcntl.fcntl(other, 1032) >= 8192 and os.write(other, b'x' * 4096) == 4096 else 'none')",
    ),
    takes(
      "terminals",
      "own",
      `for index in range(5000):
    try: kept += list(os.openpty())
    except OSError: break`,
      "print('works' if os.openpty() else 'none')",
    ),
    takes(
      "open-files",
      "own",
      `for process in range(30):
    if os.fork() == 0:
        try:
            while True: kept.append(os.open("/dev/null", os.O_RDONLY))
        except OSError: time.sleep(60)
time.sleep(1)`,
      "print('works' if os.open('/dev/null', os.O_RDONLY) > 0 else 'none')",
    ),
  ],
};
