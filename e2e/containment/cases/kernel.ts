import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { arch } from "node:os";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";
import { startChildHost } from "../start-child-host.ts";

const judge: Case["judge"] = (testBed) => {
  const happened = [...testBed.seen.matchAll(/^(.*): HAPPENED/gmu)].map(([, name]) => name);
  if (happened.length > 0) return failed(`happened: ${[...new Set(happened)].slice(0, 4).join(", ")}`);
  return /refused|tried/u.test(testBed.seen) ? refused : failed("the attack did not run");
};

const calls = (name: string, source: string, program: string, more: Partial<Case> = {}): Case => ({
  name,
  source,
  impossible: withoutPython,
  attack: python(`${program}\nprint("tried")`),
  judge,
  ...more,
});

const onlyX86 = (): string | null =>
  withoutPython() ?? (arch() === "x64" ? null : `there is no second entry to the kernel on ${arch()}`);

/** A call by the number that another table of the same kernel knows it by: a filter must know all of them. */
const entry32 = `
import mmap
def by32(number, *arguments):
    code = b"\\x53\\x55\\x57\\x56" + b"\\xb8" + struct.pack("<I", number)
    for load, value in zip((b"\\xbb", b"\\xb9", b"\\xba", b"\\xbe", b"\\xbf"), arguments): code += load + struct.pack("<I", value & 0xffffffff)
    code += b"\\xcd\\x80\\x5e\\x5f\\x5d\\x5b\\xc3"
    view = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, prot=7)
    view.write(code)
    answer = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(view)))()
    return answer, errno.errorcode.get(-answer, str(answer))
views = []
def low(text):
    view = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40)
    view.write(text + b"\\0")
    views.append(view)
    return ctypes.addressof(ctypes.c_char.from_buffer(view))
`;

/** In a child: a fault of an entry that is not there must not take the attack with it. */
const guarded = (program: string): string => `
if os.fork() == 0:
    try:
${program
  .trim()
  .split("\n")
  .map((line) => `        ${line}`)
  .join("\n")}
    finally:
        sys.stdout.flush(); os._exit(0)
pid, status = os.wait()
if os.WIFSIGNALED(status): print("refused by signal", os.WTERMSIG(status))`;

/** Whether the user's own session has a keyring to look into. */
function withoutKeyring(): string | null {
  const missing = onlyX86();
  if (missing) return missing;
  try {
    execFileSync("/usr/bin/python3", ["-c", keyring], { stdio: "ignore" });
    return null;
  } catch {
    return "this system gives its users no keyring";
  }
}

const keyring = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(250, 1, b"hox-containment") < 0: sys.exit(1)
if len(sys.argv) > 1:
    if libc.syscall(248, b"user", b"hox-canary", sys.argv[1].encode(), len(sys.argv[1]), -3) < 0: sys.exit(1)
    libc.syscall(248, b"user", b"hox-canary-user", sys.argv[1].encode(), len(sys.argv[1]), -4)
    os.execv(sys.argv[2], sys.argv[2:])
`;

export const kernel: Family = {
  name: "kernel",
  cases: [
    ...Object.entries({
      user: 0x10000000,
      mount: 0x00020000,
      pid: 0x20000000,
      network: 0x40000000,
      host: 0x04000000,
      ipc: 0x08000000,
      cgroup: 0x02000000,
      time: 0x00000080,
    }).map(([name, flag]) =>
      calls(
        `new-namespace-${name}`,
        "F7",
        `tell("unshare", call("unshare", ${flag}))
tell("unshare with a user namespace", call("unshare", ${flag} | 0x10000000))
${guarded(`tell("clone", system(56 if x86 else 220, ${flag} | 0x10000000 | 17, 0, 0, 0, 0))`)}`,
      ),
    ),
    calls(
      "new-namespace-by-clone3",
      "F7, own",
      `
arguments = struct.pack("<11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
answer = system(435, ctypes.c_char_p(arguments), ctypes.c_size_t(len(arguments)))
if answer[0] == 0: print("clone3: HAPPENED", flush=True); os._exit(0)
tell("clone3", answer)`,
    ),
    calls(
      "entering-a-namespace",
      "F7, own",
      `
for name in ("user", "mnt", "pid", "net", "ipc", "uts"):
    attempt("open " + name, lambda: (_ for _ in ()).throw(OSError("setns")) if libc.setns(os.open("/proc/1/ns/" + name, os.O_RDONLY), 0) != 0 else None)
tell("by a process", call("setns", libc.syscall(434, 1, 0), 0x10000000 | 0x00020000))`,
    ),
    calls(
      "mounting",
      "F7",
      `
os.makedirs("m", exist_ok=True)
tell("tmpfs", call("mount", b"t", b"m", b"tmpfs", 0, None))
tell("bind", call("mount", b"/", b"m", None, 4096, None))
tell("remount", call("mount", None, b"/usr", None, 32 | 4096, None))
tell("umount", call("umount2", b"/usr", 2))
tell("chroot", call("chroot", b"m"))
tell("pivot_root", system(155 if x86 else 41, b"m", b"m"))
tell("fsopen", system(430, b"tmpfs", 0))
tell("open_tree", system(428, -100, b"/", 1))
tell("move_mount", system(429, -100, b"m", -100, b"source", 0))
tell("mount_setattr", system(442, -100, b"/usr", 0, struct.pack("<4Q", 0, 1, 0, 0), 32))`,
    ),
    calls(
      "memory-files",
      "F8",
      `tell("memfd_create", call("memfd_create", b"x", 0))
tell("memfd_secret", system(447, 0))`,
    ),
    calls(
      "queues-shared-with-the-kernel",
      "own",
      `tell("io_uring_setup", system(425, 8, ctypes.c_char_p(b"\\0" * 120)))`,
    ),
    calls(
      "programs-for-the-kernel",
      "own",
      `
tell("bpf", system(321 if x86 else 280, 0, ctypes.c_char_p(struct.pack("<5I", 1, 4, 4, 1, 0) + b"\\0" * 60), 72))
tell("perf_event_open", system(298 if x86 else 241, ctypes.c_char_p(struct.pack("<IIQ", 1, 112, 1) + b"\\0" * 112), 0, -1, -1, 0))
tell("userfaultfd", system(323 if x86 else 282, 0))
tell("fanotify_init", system(300 if x86 else 262, 0, 0))
tell("open_by_handle_at", system(304 if x86 else 265, os.open(".", os.O_RDONLY), ctypes.c_char_p(struct.pack("<II", 8, 1) + b"\\2\\0\\0\\0\\0\\0\\0\\0"), 0))`,
    ),
    calls(
      "keys",
      "F11",
      `
add, request, control = (248, 249, 250) if x86 else (217, 218, 219)
tell("add_key", system(add, b"user", b"x", b"y", 1, -2))
tell("add_key to the session", system(add, b"user", b"x", b"y", 1, -3))
tell("request_key", system(request, b"user", b"hox-canary", None, -2))
tell("keyctl", system(control, 0, -3, 0))
tell("new session", system(control, 1, None))`,
    ),
    calls(
      "settings-of-the-clock-and-the-machine",
      "own",
      `
tell("settimeofday", call("settimeofday", ctypes.c_char_p(struct.pack("<2q", 0, 0)), None))
tell("clock_settime", call("clock_settime", 0, ctypes.c_char_p(struct.pack("<2q", 0, 0))))
tell("swapon", call("swapon", b"a.txt", 0))
tell("acct", call("acct", b"a.txt"))
tell("quotactl", call("quotactl", 0x80000100, b"/", 0, None))
tell("iopl", system(172, 3) if x86 else (-1, ""))
tell("kernel log", call("klogctl", 10, None, 0))`,
    ),
    calls(
      "the-filter-by-the-32-bit-entry",
      "own",
      `${entry32}${guarded(`
tell("memfd_create", by32(356, low(b"x"), 0))
tell("unshare", by32(310, 0x10000000))
tell("vsock", by32(359, 40, 1, 0))
tell("add_key", by32(286, low(b"user"), low(b"x"), low(b"y"), 1, -2))
tell("io_uring_setup", by32(425, 8, low(b"")))
tell("mount", by32(21, low(b"t"), low(b"source"), low(b"tmpfs"), 0, 0))`)}`,
      { impossible: onlyX86 },
    ),
    calls(
      "the-filter-by-socketcall",
      "own",
      `${entry32}${guarded(`tell("vsock", by32(102, 1, low(struct.pack("<3I", 40, 1, 0))))`)}`,
      { impossible: onlyX86 },
    ),
    calls(
      "the-filter-by-x32-numbers",
      "own",
      guarded(`
tell("memfd_create", system(0x40000000 | 319, b"x", 0))
tell("unshare", system(0x40000000 | 272, 0x10000000))
tell("socket", system(0x40000000 | 41, 40, 1, 0))`),
      { impossible: onlyX86 },
    ),
    calls(
      "the-filter-by-high-bits-of-an-argument",
      "own",
      guarded(`
tell("vsock", system(41 if x86 else 198, ctypes.c_long(0x100000028), ctypes.c_long(1), 0))
tell("unshare", system(272 if x86 else 97, ctypes.c_long(0x510000000)))`),
    ),
    calls(
      "settings-of-the-kernel",
      "F3",
      `
found = []
for folder, names, files in os.walk("/proc/sys"):
    for name in files:
        try: os.close(os.open(os.path.join(folder, name), os.O_WRONLY)); found.append(os.path.join(folder, name))
        except OSError: pass
for name in found[:3] + found[-1:]: print(name + ": HAPPENED", len(found))`,
    ),
    calls(
      "other-files-of-the-kernel",
      "F3, own",
      `
import glob
for name in ["/proc/sysrq-trigger", "/proc/kcore", "/proc/kmsg", "/dev/kmsg", "/dev/mem", "/dev/kvm", "/dev/fuse", "/proc/kpagecount", "/proc/mtrr", "/proc/timer_list", "/proc/fs/jbd2", "/proc/acpi/wakeup"] + glob.glob("/proc/irq/*/smp_affinity") + glob.glob("/proc/bus/pci/*/*") + glob.glob("/dev/vd*") + glob.glob("/dev/sd*") + glob.glob("/dev/input/*"):
    for flags, word in ((os.O_WRONLY, "write "), (os.O_RDONLY, "read ")):
        if word == "read " and not name.startswith(("/proc/k", "/dev")): continue
        attempt(word + name, lambda: os.close(os.open(name, flags)))`,
    ),
    {
      name: "folders-of-the-sandbox-that-can-be-written",
      source: "F9",
      attack:
        "for d in / /etc /usr /usr/local /lib /proc /sys /dev /dev/pts /mnt /opt /home /root /var /bin /nix; do touch $d/planted 2>/dev/null && echo $d: HAPPENED; mkdir $d/folder 2>/dev/null && echo $d: HAPPENED; done; echo tried",
      judge,
    },
    {
      name: "keyring-of-the-users-session",
      source: "F11",
      impossible: withoutKeyring,
      attack: async (testBed) => {
        const command = python(`
search, read = 10, 11
for place in (-1, -2, -3, -4, -5):
    for name in (b"hox-canary", b"hox-canary-user"):
        key = libc.syscall(250, search, place, b"user", name, 0)
        if key < 0: key = libc.syscall(249, b"user", name, None, 0)
        buffer = ctypes.create_string_buffer(400)
        if key >= 0 and libc.syscall(250, read, key, buffer, 400) > 0: print("READ", buffer.value.decode(), flush=True)
attempt("list", lambda: open("/proc/keys").read())
print("tried")`);
        const wrapped = ["/usr/bin/python3", "-c", keyring, testBed.canary];
        const child = startChildHost({ kind: "command", workspace: testBed.workspace, command }, { wrapped });
        testBed.see((await child.ended).output);
      },
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        return testBed.seen.includes("hox-containment") ? failed("the keyring was seen") : refused;
      },
    },
    {
      name: "rights-that-a-command-has",
      source: "own",
      attack: "cat /proc/self/status; echo tried",
      judge: (testBed) => {
        const value = (name: string): string =>
          new RegExp(`^${name}:\\s+(\\S+)`, "mu").exec(testBed.seen)?.[1] ?? "?";
        const wrong = [
          ...["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].filter((name) => !/^0+$/u.test(value(name))),
          ...(value("NoNewPrivs") === "1" ? [] : ["NoNewPrivs"]),
          ...(value("Seccomp") === "2" ? [] : ["Seccomp"]),
        ];
        return wrong.length > 0 ? failed(`not as it should be: ${wrong.join(", ")}`) : refused;
      },
    },
    {
      name: "settings-of-the-kernel-stay-as-they-are",
      source: "F3",
      attack: async (testBed) => {
        // A key whose own value is written back: harmless, and the time of the file says whether it was taken.
        const key = "/proc/sys/kernel/printk_ratelimit";
        const was = readFileSync(key, "utf8").trim();
        await testBed.run(`echo ${was} > ${key} && echo "printk_ratelimit: HAPPENED"; echo tried`);
      },
      judge,
    },
  ],
};
