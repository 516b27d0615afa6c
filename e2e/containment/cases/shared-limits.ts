import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { bounded, failed, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";

/** What a program of the user does, in Python, and prints `works` when it can. */
const outside = (program: string): string =>
  execFileSync("/usr/bin/python3", ["-c", `import ctypes, os, fcntl\nlibc = ctypes.CDLL(None)\n${program}`], {
    encoding: "utf8",
    timeout: 20_000,
  });

/** What only the host sees, and that only when it looks, may be gone for a moment. */
const maxUnlimitedMs = 5_000;

/** Sends descriptors that are never received: `count` of them, each of them `fd`. */
const sendAway = `
def fill(to, fd, count):
    while count > 0:
        part = min(count, 200)
        socket.send_fds(to, [b"x"], [fd] * part)
        count -= part`;

/** A program with the usual limit of descriptors passes one of them on, as every window and every browser does. */
const passOneOn = `import resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
one, other = socket.socketpair()
try: print('works' if socket.send_fds(one, [b'x'], [0]) else 'none')
except OSError: print('none')`;

/**
 * Something that the kernel counts for a user or for the whole machine: a command takes all that it gets, and the user
 * asks for a little meanwhile.
 */
const takes = (name: string, source: string, take: string, ask: string): Case => ({
  name,
  source,
  // Where it succeeds, everybody else on the machine goes without for that moment.
  tries: { long: 3, short: 0 },
  impossible: () => withoutPython() ?? (outside(ask).includes("works") ? null : "nobody gets any of it here"),
  attack: async (testBed) => {
    const stop = new AbortController();
    const running = testBed.run(
      python(`# ${testBed.marker}
import fcntl, resource
kept = []
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
${take}
open("taken", "w").write(str(len(kept)))
time.sleep(120)`),
      { signal: stop.signal, timeoutMs: 90_000 },
    );
    let hasEnded = false;
    const ended = running.finally(() => {
      hasEnded = true;
    });
    const hasTaken = (): boolean => hasEnded || existsSync(testBed.inside("taken"));
    for (const begun = performance.now(); !hasTaken() && performance.now() - begun < 60_000; ) await wait(20);
    for (const begun = performance.now(); ; await wait(100)) {
      testBed.note = outside(ask);
      if (testBed.note.includes("works") || performance.now() - begun > maxUnlimitedMs) break;
    }
    stop.abort();
    await ended;
  },
  judge: (testBed) => {
    const [stopped] = /Stopped: .*/u.exec(testBed.seen) ?? [];
    if (!existsSync(testBed.inside("taken")) && !stopped) return failed("the attack did not run");
    if (!testBed.note.includes("works")) return failed("the user gets none of it meanwhile");
    return stopped ? bounded(stopped) : refused;
  },
});

/** A command that keeps to its own limits can still starve the host by taking what everybody shares. */
export const sharedLimits: Family = {
  name: "shared limits",
  cases: [
    {
      ...takes(
        "watches-for-files",
        "own",
        "for index in range(3000):\n    fd = libc.inotify_init1(0)\n    if fd < 0: break\n    kept.append(fd)",
        "fd = libc.inotify_init1(0)\nprint('works' if fd >= 0 else 'none')",
      ),
      tries: { long: 3, short: 1 },
    },
    takes(
      "folders-that-are-watched",
      "own",
      `import itertools
kept.append(libc.inotify_init1(0))
most = int(open("/proc/sys/fs/inotify/max_user_watches").read())
for index in range(min(most + 10, 300000)):
    os.mkdir("/tmp/%d" % index)
    if libc.inotify_add_watch(kept[0], b"/tmp/%d" % index, 2) < 0: break`,
      "fd = libc.inotify_init1(0)\nprint('works' if fd >= 0 and libc.inotify_add_watch(fd, b'/tmp', 2) >= 0 else 'none')",
    ),
    takes(
      "descriptors-that-are-waited-for",
      "own",
      `import select
most = int(open("/proc/sys/fs/epoll/max_user_watches").read())
for process in range(4):
    if process < 3 and os.fork() != 0: continue
    targets = [os.eventfd(0) for index in range(2000)]
    try:
        for count in range(most // 3 // len(targets) + 1):
            kept.append(select.epoll())
            for target in targets: kept[-1].register(target)
    except OSError: pass
    break
time.sleep(120 if process < 3 else 3)`,
      `import select
reading, writing = os.pipe()
try:
    select.epoll().register(reading)
    print('works')
except OSError: print('none')`,
    ),
    takes(
      "signals-that-wait",
      "own",
      `signal.pthread_sigmask(signal.SIG_BLOCK, [40])
libc.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
for index in range(2000000):
    if libc.sigqueue(os.getpid(), 40, None) != 0: break`,
      "timer = ctypes.c_void_p()\nprint('works' if libc.timer_create(1, None, ctypes.byref(timer)) == 0 else 'none')",
    ),
    takes(
      "queues-of-messages",
      "own",
      `for index in range(200):
    for messages in (10, 1):
        queue = libc.mq_open(b"/%d-%d" % (index, messages), 0o102, 0o600, (ctypes.c_long * 8)(0, messages, 8192))
        if queue >= 0: kept.append(queue)`,
      `queue = libc.mq_open(b"/hox-asks", 0o102, 0o600, (ctypes.c_long * 8)(0, 10, 8192))
libc.mq_unlink(b"/hox-asks")
print('works' if queue >= 0 else 'none')`,
    ),
    takes(
      "memory-that-is-locked",
      "own",
      `for index in range(4000):
    segment = libc.shmget(0, ctypes.c_size_t(65536), 0o1600)
    if segment < 0 or libc.shmctl(segment, 11, None) != 0: break
    kept.append(segment)`,
      `segment = libc.shmget(0, ctypes.c_size_t(65536), 0o1600)
print('works' if libc.shmctl(segment, 11, None) == 0 else 'none')
libc.shmctl(segment, 0, None)`,
    ),
    takes(
      "descriptors-on-their-way",
      "own",
      `${sendAway}
kept = list(socket.socketpair())
fill(kept[0], 0, 2000)`,
      passOneOn,
    ),
    takes(
      "descriptors-on-their-way-in-a-socket-on-its-way",
      "own",
      `${sendAway}
kept = list(socket.socketpair())
one, other = socket.socketpair()
fill(one, 0, 2000)
socket.send_fds(kept[0], [b"x"], [one.fileno(), other.fileno()])
one.close(); other.close()`,
      passOneOn,
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
