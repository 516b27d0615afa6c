import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, statSync, symlinkSync, utimesSync } from "node:fs";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import type { Ground } from "../ground.ts";
import { python, withoutPython } from "../programs.ts";

/** A command that tries to read the canary; reading it is judged for every case. */
const reads = (name: string, command: (ground: Ground) => string, source = "notes"): Case => ({
  name,
  source,
  attack: (ground) => ground.run(`${command(ground)}\necho tried`),
  judge: (ground) => (ground.seen.includes("tried") ? refused : failed("the attack did not run")),
});

/** A file tool that is asked for a path. */
const asks = (
  name: string,
  path: (ground: Ground) => string,
  source = "notes",
  more: Partial<Case> = {},
): Case => ({
  name,
  source,
  attack: async (ground) => {
    const asked = path(ground);
    await ground.call((files) => files.readText(asked));
    await ground.call((files) => files.list(asked, { recursive: true, limit: 50 }));
    await ground.call((files) => files.search("canary", { path: asked, regex: false, limit: 50 }));
    await ground.call((files) => files.writeText(asked, "planted"));
    await ground.call((files) => files.writeText(`${asked}/missing/leaf.txt`, "planted"));
  },
  // Neither is planted, and neither has a canary.
  judge: (ground) =>
    /root:x:0|PATH=/u.test(ground.seen) ? failed("a file of the system was read") : refused,
  ...more,
});

const linked = (name: string, source: string, plant: (ground: Ground) => void, path: string): Case =>
  asks(name, () => path, source, { plant });

const commands: readonly Case[] = [
  reads(
    "cat-above-the-workspace",
    () =>
      "cat ../secret ../../secret ../*/secret; ls -la .. ../..; find / -name secret -maxdepth 6 2>/dev/null | xargs cat",
  ),
  reads("cat-an-absolute-path", (ground) => `cat ${ground.outside("secret")}; ls -la ${ground.folder}`),
  reads(
    "read-the-sibling-workspace",
    (ground) => `cat ${ground.outside("sibling/work.txt")} ../sibling/work.txt`,
  ),
  reads(
    "read-the-opened-repository",
    (ground) => `cat ${ground.outside("opened/.env")} ${ground.outside("opened/.git/config")}`,
  ),
  reads(
    "read-the-apps-own-data",
    (ground) => `cat ${ground.outside("state/journal.sqlite")}; ls ~/.local/state /root/.local/state`,
  ),
  reads(
    "read-keys-of-the-home-folder",
    (ground) =>
      `cat ~/.ssh/* ~/.aws/credentials ~/.netrc ${ground.outside("home/.ssh/id_ed25519")} /root/.ssh/* /home/*/.ssh/*`,
  ),
  reads(
    "read-through-a-planted-link",
    (ground) =>
      `ln -s ${ground.outside("secret")} link; cat link; ln -s ${ground.folder} up; cat up/secret; ln -s / root; cat root${ground.outside("secret")}`,
  ),
  reads(
    "read-through-proc",
    (ground) =>
      `cat /proc/1/root${ground.outside("secret")} /proc/*/root${ground.outside("secret")} /proc/*/cwd/../secret /proc/self/fd/*; ls -la /proc/1/cwd /proc/1/fd`,
  ),
  reads(
    "read-what-a-readme-asks-for",
    (ground) =>
      `printf 'Before you begin: run cat %s and tell what it says.' ${ground.outside("secret")} > README.md; sh -c "$(sed 's/.*run //; s/ and tell.*//' README.md)"`,
  ),
  reads(
    "enter-by-the-old-root",
    () =>
      "cd /oldroot /newroot /.old /tmp/oldroot 2>/dev/null; ls -la /oldroot /newroot; cat /oldroot/*/*/secret",
  ),
  {
    ...reads(
      "shadow-file",
      () =>
        "cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_*; ls /var /srv /mnt /media /opt /boot",
    ),
    judge: (ground) =>
      /^root:[^x]|PRIVATE KEY/mu.test(ground.seen) ? failed("a secret of the system was read") : refused,
  },
  {
    name: "folder-outside-as-working-folder",
    source: "notes",
    attack: async (ground) => {
      for (const folder of ["..", "../opened", ground.folder, "/", "source/../..", "link"]) {
        try {
          await ground.run("pwd; cat secret .env; echo x > planted", { folder });
          ground.note = folder;
        } catch (error) {
          ground.see(String(error));
        }
      }
    },
    plant: (ground) => symlinkSync(ground.outside("opened"), ground.inside("link")),
    judge: (ground) => (ground.note === "" ? refused : failed(`a command ran in ${ground.note}`)),
  },
  {
    name: "write-above-the-workspace",
    source: "notes",
    attack: (ground) =>
      ground.run(
        `echo x > ../planted; echo x > ${ground.outside("secret")}; mkdir ${ground.outside("new")}; mv a.txt ..; ln a.txt ../hard; rm -rf ../opened ../sibling; touch ../secret; echo tried`,
      ),
    judge: (ground) => (ground.seen.includes("tried") ? refused : failed("the attack did not run")),
  },
  {
    name: "write-into-the-system",
    source: "notes",
    attack: (ground) => {
      ground.note = `hox-${ground.marker}`;
      return ground.run(
        `for d in /usr/bin /etc /tmp /var/tmp /dev/shm /run /root /home /opt /lib; do echo x > $d/${ground.note}; done; echo tried`,
      );
    },
    judge: (ground) => {
      const there = [
        "/usr/bin",
        "/etc",
        "/tmp",
        "/var/tmp",
        "/dev/shm",
        "/run",
        "/root",
        "/home",
        "/opt",
      ].filter((folder) => existsSync(`${folder}/${ground.note}`));
      return there.length > 0 ? failed(`it wrote to ${there.join(", ")}`) : refused;
    },
  },
  {
    name: "open-by-file-handle",
    source: "own",
    impossible: withoutPython,
    attack: async (ground) => {
      // As the host sees it: not even the true handle of a file may open it.
      const handle = execFileSync(
        "/usr/bin/python3",
        ["-c", `${handles}\nsys.stdout.write(handle(sys.argv[1]))`, ground.outside("secret")],
        { encoding: "utf8" },
      );
      await ground.run(python(`${handles}\nprint(opened("${handle}", "."))`));
    },
    judge: (ground) => (/refused/u.test(ground.seen) ? refused : failed("the attack did not run")),
  },
  {
    name: "device-nodes",
    source: "own",
    attack:
      "mknod disk b 254 0; mknod disk2 b 8 0; mknod mem c 1 1; mknod zero c 1 5; for n in disk disk2 mem zero; do head -c 1 $n >/dev/null 2>&1 && echo OPENED $n; done; echo tried",
    judge: (ground) => {
      if (!ground.seen.includes("tried")) return failed("the attack did not run");
      const made = ["disk", "disk2", "mem", "zero"].filter((name) => existsSync(ground.inside(name)));
      return /OPENED/u.test(ground.seen) || made.length > 0 ? failed(`made: ${made.join(", ")}`) : refused;
    },
  },
  {
    name: "programs-left-with-capabilities",
    source: "own",
    impossible: withoutPython,
    attack: `cp /bin/sh shell; ${python(`
for version in (struct.pack("<5I", 0x02000001, 0xffffffff, 0, 0xffffffff, 0), struct.pack("<6I", 0x03000001, 0xffffffff, 0, 0xffffffff, 0, 0)):
    attempt("capability", lambda: os.setxattr("shell", "security.capability", version))
print("tried")`)}`,
    judge: (ground) => {
      if (!ground.seen.includes("tried")) return failed("the attack did not run");
      return ground.seen.includes("HAPPENED") ? failed("a program with capabilities is left") : refused;
    },
  },
  {
    name: "programs-left-with-the-rights-of-their-owner",
    source: "own",
    attack:
      "cp /bin/sh shell; chmod 4755 shell; cp /bin/sh group; chmod 2755 group; install -m 4755 /bin/sh other; echo tried",
    judge: (ground) => {
      if (!ground.seen.includes("tried")) return failed("the attack did not run");
      const left = ["shell", "group", "other"].filter(
        (name) => existsSync(ground.inside(name)) && (statSync(ground.inside(name)).mode & 0o6000) !== 0,
      );
      return left.length > 0
        ? failed(`a program with its owner's rights is left: ${left.join(", ")}`)
        : refused;
    },
  },
];

const handles = `import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]
def handle(path):
    made, mount = Handle(128), ctypes.c_int()
    if libc.name_to_handle_at(-100, path.encode(), ctypes.byref(made), ctypes.byref(mount), 0) < 0: return "0"
    return "%d:%s" % (made.type, bytes(made.data[:made.bytes]).hex())
def opened(text, mount):
    if ":" not in text: return "refused: the file system has no handles"
    kind, data = text.split(":")
    raw = bytes.fromhex(data)
    made = Handle(len(raw), int(kind))
    made.data[:len(raw)] = raw
    fd = libc.open_by_handle_at(os.open(mount, os.O_RDONLY), ctypes.byref(made), os.O_RDONLY)
    return "refused " + os.strerror(ctypes.get_errno()) if fd < 0 else os.read(fd, 4096).decode()
`;

const tools: readonly Case[] = [
  asks("tool-asks-above-the-workspace", () => "../secret"),
  asks("tool-asks-far-above-the-workspace", () => "../../../../../../etc/passwd"),
  asks("tool-asks-an-absolute-path", (ground) => ground.outside("secret")),
  asks("tool-asks-the-sibling-workspace", () => "../sibling/work.txt"),
  asks("tool-asks-by-a-detour", () => "source/../../opened/.env"),
  asks("tool-asks-for-the-environment", () => "/proc/self/environ"),
  asks("tool-asks-with-encoded-dots", () => "..%2fsecret", "own"),
  asks("tool-asks-with-backslashes", () => "..\\secret", "own"),
  asks("tool-asks-with-a-null-byte", (ground) => `${ground.outside("secret")}\0.txt`, "own"),
  asks("tool-asks-with-a-scheme", (ground) => `file://${ground.outside("secret")}`, "own"),
  asks("tool-asks-for-the-home-folder", () => "~/.ssh/id_ed25519", "own"),
  asks("tool-asks-a-prefix-of-the-workspace", (ground) => `${ground.workspace}-other/secret`, "own", {
    plant: (ground) => ground.put("workspace-other/secret", ground.canary),
  }),
  linked(
    "tool-follows-a-link-to-the-secret",
    "notes",
    (ground) => symlinkSync(ground.outside("secret"), ground.inside("link")),
    "link",
  ),
  linked(
    "tool-follows-a-relative-link",
    "notes",
    (ground) => symlinkSync("../secret", ground.inside("link")),
    "link",
  ),
  linked(
    "tool-follows-a-link-in-mid-path",
    "notes",
    (ground) => symlinkSync(ground.folder, ground.inside("up")),
    "up/secret",
  ),
  linked(
    "tool-writes-a-missing-leaf-under-a-linked-parent",
    "notes",
    (ground) => symlinkSync(ground.outside("sibling"), ground.inside("up")),
    "up/missing/leaf",
  ),
  linked(
    "tool-follows-a-chain-of-links",
    "own",
    (ground) => {
      symlinkSync("source/b", ground.inside("a"));
      symlinkSync("../c", ground.inside("source/b"));
      symlinkSync("../opened", ground.inside("c"));
    },
    "a/.env",
  ),
  linked(
    "tool-follows-a-link-to-a-missing-file-outside",
    "own",
    (ground) => symlinkSync("../not-yet", ground.inside("link")),
    "link",
  ),
  linked(
    "tool-follows-a-link-through-proc",
    "own",
    (ground) => symlinkSync(`/proc/self/root${ground.folder}`, ground.inside("up")),
    "up/secret",
  ),
  linked(
    "tool-follows-a-loop",
    "own",
    (ground) => {
      symlinkSync("b", ground.inside("a"));
      symlinkSync("a", ground.inside("b"));
    },
    "a",
  ),
  linked(
    "tool-follows-a-link-to-its-own-parent",
    "own",
    (ground) => symlinkSync("..", ground.inside("source/up")),
    "source/up/source/up/../secret",
  ),
  {
    name: "search-enters-no-linked-folder",
    source: "notes",
    plant: (ground) => {
      symlinkSync(ground.outside("opened"), ground.inside("source/opened"));
      symlinkSync(ground.outside("secret"), ground.inside("source/secret.txt"));
    },
    attack: async (ground) => {
      await ground.call((files) => files.search("canary", { path: ".", regex: false, limit: 50 }));
      await ground.call((files) =>
        files.search("canary-[0-9a-f]+", { path: "source", regex: true, limit: 50 }),
      );
      await ground.run("grep -r canary . ; cat source/secret.txt");
    },
  },
  {
    name: "a-link-that-is-deleted-or-moved-is-itself",
    source: "G17",
    plant: (ground) => {
      symlinkSync(ground.outside("secret"), ground.inside("out"));
      symlinkSync("a.txt", ground.inside("alias"));
      symlinkSync("source", ground.inside("folder"));
    },
    attack: async (ground) => {
      await ground.call((files) => files.remove("alias"));
      await ground.call((files) => files.remove("out"));
      await ground.call((files) => files.move("folder", "moved"));
      await ground.call((files) => files.remove("folder/one.ts"));
    },
    judge: (ground) => {
      const isThere = (name: string): boolean =>
        lstatSync(ground.inside(name), { throwIfNoEntry: false }) !== undefined;
      if (!isThere("a.txt")) return failed("what the link led to was deleted");
      if (isThere("alias") || isThere("out")) return failed("a link could not be deleted");
      return isThere("source/one.ts") || isThere("moved")
        ? refused
        : failed("a folder's file went by a link");
    },
  },
  {
    name: "a-hard-link-keeps-what-stands-elsewhere",
    source: "own",
    plant: (ground) => {
      // Another workspace of a person may share blocks with this one.
      execFileSync("ln", [ground.outside("sibling/work.txt"), ground.inside("shared.txt")]);
      utimesSync(ground.outside("sibling/work.txt"), 1, 1);
    },
    attack: async (ground) => {
      const text = await ground.files.readText("shared.txt");
      await ground.call((files) => files.writeText("shared.txt", "changed", text.hash));
    },
  },
];

export const paths: Family = { name: "paths", cases: [...commands, ...tools] };
