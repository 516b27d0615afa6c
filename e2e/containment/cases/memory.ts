import { existsSync, statSync } from "node:fs";
import { execa } from "execa";
import type { Case, Family } from "../case.ts";
import { bounded, failed, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";

const limit = 300;
const much = 900;

/**
 * Takes three times the memory limit of a command in one way, and continues for longer than it takes to
 * notice. The command says how much it had at the end.
 */
const holds = (name: string, source: string, program: string, more: Partial<Case> = {}): Case => ({
  name,
  source,
  impossible: withoutPython,
  tries: { long: 3, short: 0 },
  attack: async (testBed) => {
    await testBed.run(
      python(`# ${testBed.marker}
import fcntl, mmap
kept = []
held = 0
block = b"x" * 1048576
def say():
    print("HELD %d" % held, flush=True)
try:
${program
  .trim()
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
except (OSError, MemoryError, ValueError) as problem: print("refused", problem, flush=True)
say()
time.sleep(8)
print("KEPT %d" % held, flush=True)`),
      { limits: { wholeMemory: limit * 2 ** 20 }, timeoutMs: 40_000 },
    );
  },
  judge: (testBed) => {
    const kept = Number(/KEPT (\d+)/u.exec(testBed.seen)?.[1] ?? -1);
    if (kept > limit + 150) return failed(`it kept ${kept} MB with a limit of ${limit} MB`);
    if (kept > 0) return bounded(`${kept} MB`);
    if (kept === 0 && /refused/u.test(testBed.seen)) return refused;
    return testBed.seen.includes("used more than")
      ? bounded(`${limit} MB`)
      : failed("the attack did not run");
  },
  ...more,
});

/** Sent and never read. No more than is asked for: the case must not fill the machine that runs it. */
const fillSockets = `
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
def fill(wanted):
    sent = 0
    while sent < wanted:
        try: pair = socket.socketpair()
        except OSError: return sent
        kept.extend(pair)
        pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8388608)
        pair[0].setblocking(False)
        try:
            while sent < wanted: sent += pair[0].send(block[:65536]) / 1048576
        except OSError: pass
    return sent`;

const nested = (program: string): string => `
os.makedirs("/tmp/m")
outer, group = os.getuid(), os.getgid()
if libc.unshare(0x10000000 | 0x20000000 | 0x00020000) != 0: raise OSError("no nested namespace")
try:
    open("/proc/self/setgroups", "w").write("deny")
    open("/proc/self/uid_map", "w").write("0 %d 1" % outer)
    open("/proc/self/gid_map", "w").write("0 %d 1" % group)
except OSError as problem: print("no names in it:", problem)
if os.fork() == 0:
${program
  .trim()
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
    time.sleep(9)
    print("KEPT %d" % held, flush=True)
    os._exit(0)
os.wait()`;

const anonymous = `
for index in range(${much} // 30):
    if os.fork() == 0:
        hold = bytearray(30 * 1048576)
        hold[::4096] = b"x" * len(hold[::4096])
        time.sleep(12)
        os._exit(0)
    held += 30`;

const inSockets = holds(
  "memory-in-sockets",
  "F8, own",
  `${fillSockets}
held = fill(${much})`,
);

/** Pages that another program gave back stay with the processors for a while, and the machine's figures do not show them. */
const afterAnotherGaveBack = (one: Case): Case => ({
  ...one,
  name: `${one.name}-after-another-gave-back`,
  attack: async (testBed) => {
    await execa("python3", ["-c", `bytearray(b"x" * (2 * ${much} * 1048576))`]);
    if (typeof one.attack === "function") await one.attack(testBed);
  },
});

const inFiles = (folder: string): string => `
for index in range(${much}):
    with open("${folder}/%d" % index, "wb") as file: file.write(block)
    held += 1`;

export const memory: Family = {
  name: "memory",
  cases: [
    holds("memory-of-many-small-processes", "notes", anonymous),
    holds(
      "memory-in-files-that-nobody-maps",
      "F8",
      `
for index in range(${much} // 50):
    fd = os.memfd_create("hold")
    for part in range(50): os.write(fd, block)
    kept.append(fd)
    held += 50`,
    ),
    holds(
      "memory-in-secret-files",
      "F8, own",
      `
for index in range(${much} // 8):
    answer, why = system(447, 0)
    if answer < 0: raise OSError(why)
    os.ftruncate(answer, 8388608)
    view = mmap.mmap(answer, 8388608)
    view[::4096] = b"x" * len(view[::4096])
    view.close()
    kept.append(answer)
    held += 8`,
    ),
    holds("memory-in-the-temporary-folder", "F8", inFiles("/tmp")),
    holds(
      "memory-in-shared-segments",
      "F8, own",
      `
libc.shmat.restype = ctypes.c_void_p
for index in range(${much} // 50):
    segment = libc.shmget(0, ctypes.c_size_t(50 * 1048576), 0o1600)
    if segment < 0: raise OSError("shmget")
    place = libc.shmat(segment, None, 0)
    ctypes.memset(place, 1, 50 * 1048576)
    libc.shmdt(ctypes.c_void_p(place))
    held += 50`,
    ),
    holds(
      "memory-in-semaphores",
      "own",
      `
for index in range(${much} // 2):
    if libc.semget(0, 32000, 0o1600) < 0: raise OSError("semget")
    held += 2`,
    ),
    holds(
      "memory-in-pipes",
      "F8",
      `
for index in range(${much}):
    one, other = os.pipe()
    kept += [one, other]
    try: size = fcntl.fcntl(other, 1031, 1048576)
    except OSError: size = fcntl.fcntl(other, 1032)
    os.set_blocking(other, False)
    try: held += os.write(other, block[:size]) / 1048576
    except OSError: pass`,
    ),
    inSockets,
    afterAnotherGaveBack(inSockets),
    holds(
      "memory-in-sockets-of-many-processes",
      "F8, own",
      `${fillSockets}
for process in range(${much} // 25):
    if os.fork() == 0:
        open("/tmp/%d" % os.getpid(), "w").write(str(fill(25)))
        time.sleep(20)
        os._exit(0)
time.sleep(4)
held = sum(float(open("/tmp/" + name).read() or 0) for name in os.listdir("/tmp") if name.isdigit())`,
    ),
    holds(
      "memory-in-huge-pages-that-pipes-pin",
      "F8, own",
      `
for index in range(${much} // 2):
    view = mmap.mmap(-1, 4194304, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    view.madvise(14)
    view[:] = b"x" * 4194304
    start = ctypes.addressof(ctypes.c_char.from_buffer(view))
    aligned = (start + 2097151) & ~2097151
    one, other = os.pipe()
    kept += [one, other]
    kept.append(view)
    class Vector(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    answer = libc.vmsplice(other, ctypes.byref(Vector(aligned, 4096)), 1, 0)
    if answer < 0: raise OSError("vmsplice")
    huge = sum(int(line.split()[1]) for line in open("/proc/self/smaps_rollup") if line.startswith("AnonHugePages"))
    libc.munmap(ctypes.c_void_p(start), ctypes.c_size_t(4194304))
    if huge >= 2048: held += 2`,
    ),
    holds("memory-in-a-nested-namespace", "F7", nested(anonymous)),
    holds(
      "memory-in-a-file-system-of-its-own",
      "F7, F9",
      nested(`
if libc.mount(b"t", b"/tmp/m", b"tmpfs", 0, b"size=2g") != 0: raise OSError("mount")${inFiles("/tmp/m")}`),
    ),
    holds("memory-at-the-root", "F9", inFiles(""), { tries: { long: 3, short: 1 } }),
    {
      name: "output-of-100-mb-without-a-line-break",
      source: "notes",
      tries: { long: 3, short: 1 },
      attack: async (testBed) => {
        const before = process.memoryUsage().rss;
        const result = await testBed.run("head -c 100000000 /dev/zero | tr '\\0' x; echo; echo tried");
        testBed.note = `${result.output.length} ${process.memoryUsage().rss - before}`;
      },
      judge: (testBed) => {
        const [characters = 0, bytes = 0] = testBed.note.split(" ").map(Number);
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        if (characters > 40_000) return failed(`${characters} characters were kept`);
        // Kept whole, it would be there as bytes, joined, and as text.
        return bytes > 300e6 ? failed(`${bytes} bytes were taken`) : bounded(`${characters} characters`);
      },
    },
    {
      name: "output-of-escapes-that-never-end",
      source: "own",
      attack: async (testBed) => {
        const begun = performance.now();
        const result = await testBed.run(
          "head -c 3000000 /dev/zero | tr '\\0' '\\033'; yes \"$(printf '\\033]')\" | head -c 3000000; echo; echo tried",
        );
        testBed.note = `${result.output.length} ${performance.now() - begun}`;
      },
      judge: (testBed) => {
        const [characters = 0, ms = 0] = testBed.note.split(" ").map(Number);
        if (ms > 20_000) return failed(`it took ${(ms / 1000).toFixed(0)} s to read`);
        return characters > 40_000
          ? failed(`${characters} characters were kept`)
          : bounded(`${characters} characters`);
      },
    },
    {
      name: "write-of-more-than-one-gigabyte",
      source: "notes",
      tries: { long: 3, short: 1 },
      attack:
        "truncate -s 1200000000 sparse; truncate -s 8E huge; fallocate -l 1200000000 solid; head -c 1200000000 /dev/zero > big; ls -l; echo tried",
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        const sizes = ["sparse", "huge", "solid", "big"].map((name) =>
          existsSync(testBed.inside(name)) ? statSync(testBed.inside(name)).size : 0,
        );
        const largest = Math.max(...sizes);
        return largest > 2 ** 30
          ? failed(`a file of ${largest} bytes was written`)
          : bounded(`${largest / 2 ** 20} MB`);
      },
    },
    {
      name: "attributes-of-files-in-memory",
      source: "G8",
      impossible: withoutPython,
      attack: `: > attributed; ${python(`
for folder in ("/tmp", "/dev/shm", "/run", "."):
    path = folder + "/attributed"
    open(path, "w").write("x")
    for name in ("user.x", "trusted.x", "security.x"):
        attempt(folder + " " + name, lambda: os.setxattr(path, name, b"x" * 60000))
        attempt(folder + " link " + name, lambda: os.setxattr(path, name, b"x" * 60000, follow_symlinks=False))
        attempt(folder + " open " + name, lambda: os.setxattr(os.open(path, os.O_RDWR), name, b"x" * 60000))
print("tried")`)}; cp -a attributed copied && tar -cf /tmp/a.tar copied && echo honest`,
      judge: (testBed) => {
        if (!/tried[\s\S]*honest/u.test(testBed.seen))
          return failed("the attack did not run, or copying failed");
        return testBed.seen.includes("HAPPENED") ? failed("a file has attributes") : refused;
      },
    },
    holds(
      "empty-files-in-memory",
      "G8",
      `
for number in range(900):
    for one in range(1000): os.close(os.open("/tmp/%d-%d" % (number, one), os.O_CREAT | os.O_WRONLY))
    held += 1`,
    ),
    {
      name: "file-systems-in-memory",
      source: "F9",
      attack: (testBed) =>
        testBed.run(
          `echo WORKSPACE $(stat -f -c %i .); grep ' - tmpfs ' /proc/self/mountinfo | grep -v -e ' ${testBed.folder}' -e ' /sandbox/home ' | while read -r line; do set -- $line; size=$(printf '%s' "$line" | sed -n 's/.*size=\\([0-9]*k\\).*/\\1/p'); case "$6" in ro*) mode=ro;; *) mode=rw;; esac; echo "MOUNT $5 $mode \${size:-none}"; done; echo tried`,
        ),
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        const mounts = [...testBed.seen.matchAll(/^MOUNT (\S+) (ro|rw) (\S+)$/gmu)];
        const open = mounts
          .filter(([, , mode, size]) => mode === "rw" && size === "none")
          .map(([, path]) => path);
        if (open.length > 0) return failed(`without size and writable: ${[...new Set(open)].join(", ")}`);
        const kilobytes = new Map(
          mounts
            .filter(([, , mode]) => mode === "rw")
            .map(([, path, , size]) => [path, Number.parseInt(size ?? "0", 10)]),
        );
        const all = [...kilobytes.values()].reduce((sum, one) => sum + one, 0);
        return all > 2 * 2 ** 20
          ? failed(`${all / 1024} MB of files in memory`)
          : bounded(`${Math.round(all / 1024)} MB in all`);
      },
    },
  ],
};
