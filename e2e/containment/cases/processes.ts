import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { bounded, failed, race, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";
import { startChildHost } from "../start-child-host.ts";
import { aliveWith, type RunOptions, type TestBed } from "../test-bed.ts";
import { slack } from "../waiting.ts";

/** A tree has so long to be gone, whatever ended it. */
const deadWithinMs = 2_000 * slack;

/** Time limits of a command (ms). On a busy machine one may end it before it has begun: then the next one does. */
const timeLimits = [600, 6_000, 25_000];

/** Lets a command start, ends it in some way, and notes how long that took until nothing was left. */
const ends = (
  name: string,
  command: (testBed: TestBed) => string,
  way: "cancel" | "time limit" | "exit",
  more: Partial<Case> = {},
): Case => ({
  name,
  source: "notes",
  attack: async (testBed) => {
    const hasStarted = (): boolean => existsSync(testBed.inside("started"));
    for (const timeoutMs of way === "time limit" ? timeLimits : [null]) {
      if (hasStarted()) break;
      const stop = new AbortController();
      let asked = 0;
      const options: RunOptions = timeoutMs === null ? { signal: stop.signal } : { timeoutMs };
      const begun = performance.now();
      const running = testBed.run(`: ${testBed.marker}; touch started; ${command(testBed)}`, options);
      if (way === "cancel") {
        await until(hasStarted);
        await wait(150);
        asked = performance.now();
        stop.abort();
      }
      const result = await running;
      if (timeoutMs !== null) asked = begun + timeoutMs;
      if (way === "exit") asked = begun + Number(/waited (\d+)/u.exec(testBed.seen)?.[1] ?? 0);
      testBed.note = `${Math.max(0, performance.now() - asked).toFixed(0)} ${result.outcome}`;
    }
  },
  judge: (testBed) => {
    if (!existsSync(testBed.inside("started"))) return failed("the attack did not run");
    const ms = Number.parseInt(testBed.note, 10);
    return ms > deadWithinMs ? failed(`it took ${(ms / 1000).toFixed(1)} s to end`) : refused;
  },
  ...more,
});

async function until(condition: () => boolean, limitMs = 15_000): Promise<void> {
  for (const begun = performance.now(); !condition() && performance.now() - begun < limitMs; ) await wait(10);
}

const stubborn = (testBed: TestBed): string =>
  `setsid sh -c 'trap "" TERM INT HUP QUIT; : ${testBed.marker}; while :; do sleep 0.05; done' </dev/null >/dev/null 2>&1 &`;
const crowd = (testBed: TestBed, count: number): string =>
  python(`# ${testBed.marker}
for index in range(${count}):
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
time.sleep(60)`);

const endings: readonly Case[] = [
  ends("a-child-that-left-its-session-at-exit", (testBed) => `${stubborn(testBed)} exit 0`, "exit", {
    tries: race,
  }),
  ends("a-child-that-left-its-session-at-cancel", (testBed) => `${stubborn(testBed)} sleep 60`, "cancel"),
  ends(
    "a-child-that-left-its-session-at-the-time-limit",
    (testBed) => `${stubborn(testBed)} sleep 60`,
    "time limit",
  ),
  ends("signals-that-are-ignored", () => "trap '' TERM INT HUP QUIT; while :; do sleep 1; done", "cancel"),
  ends(
    "a-child-that-holds-the-output-open",
    (testBed) => `setsid sh -c ': ${testBed.marker}; sleep 60' & exit 0`,
    "exit",
  ),
  ends(
    "a-child-that-floods-the-output-after-the-end",
    (testBed) => `setsid sh -c ': ${testBed.marker}; while :; do echo more; done' & exit 0`,
    "exit",
    { source: "own" },
  ),
  ends("two-hundred-children-at-cancel", (testBed) => crowd(testBed, 200), "cancel", {
    impossible: withoutPython,
  }),
  ends("a-command-that-stops-itself", () => "kill -STOP $$; sleep 60", "time limit", { source: "own" }),
  ends("a-stopped-child-at-cancel", (testBed) => `${stubborn(testBed)} kill -STOP $!; sleep 60`, "cancel", {
    source: "own",
  }),
  ends(
    "a-command-that-holds-the-init",
    (testBed) =>
      `${python(`# ${testBed.marker}
for request in (16, 0x4206):
    print("seize", libc.ptrace(request, 1, 0, 0), flush=True)
for name in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTSTP):
    try: os.kill(1, name)
    except OSError as problem: print(problem)
time.sleep(60)`)}`,
    "cancel",
    { source: "own", impossible: withoutPython },
  ),
  ends(
    "a-command-that-holds-the-init-and-exits",
    (testBed) =>
      `${python(`# ${testBed.marker}
libc.ptrace(16, 1, 0, 0)
if os.fork() == 0:
    os.setsid(); libc.ptrace(16, 1, 0, 0); time.sleep(60)
time.sleep(60)`)} & sleep 0.3; exit 0`,
    "time limit",
    { source: "own", impossible: withoutPython },
  ),
  ends(
    "deep-chain-of-children-at-cancel",
    (testBed) =>
      python(`# ${testBed.marker}
for depth in range(150):
    if os.fork() != 0:
        os.wait(); break
time.sleep(60)`),
    "cancel",
    { source: "own", impossible: withoutPython },
  ),
  ends(
    "a-child-in-namespaces-of-its-own-at-exit",
    (testBed) =>
      `setsid unshare -Upf sh -c ': ${testBed.marker}; sleep 60' </dev/null >/dev/null 2>&1 & sleep 0.2; exit 0`,
    "exit",
    { source: "F7" },
  ),
];

const counts = (name: string, command: string, more: Partial<Case> = {}): Case => ({
  name,
  source: "notes",
  impossible: withoutPython,
  tries: { long: 3, short: 1 },
  attack: async (testBed) => {
    const result = await testBed.run(command.replace("MARKER", testBed.marker), {
      limits: { processes: 60 },
      timeoutMs: 12_000,
    });
    testBed.note = `${result.ms}`;
  },
  judge: (testBed) => {
    if (/KEPT/u.test(testBed.seen)) return failed(`it kept more than its 60 processes`);
    const [, most] = /more than (60 processes|120 threads)/u.exec(testBed.seen) ?? [];
    if (most) return bounded(most);
    return /refused|unshare|Operation not permitted|Resource temporarily/u.test(testBed.seen)
      ? refused
      : failed("neither stopped nor refused");
  },
  ...more,
});

const bombs: readonly Case[] = [
  counts(
    "fork-bomb",
    python(`# MARKER
for index in range(400):
    if os.fork() == 0: time.sleep(30); os._exit(0)
time.sleep(6); print("KEPT")`),
  ),
  counts(
    "fork-bomb-that-starts-slowly",
    "for i in $(seq 150); do sleep 30 & sleep 0.01; done; sleep 5; echo KEPT",
    { source: "own" },
  ),
  counts(
    "bomb-of-threads",
    python(`# MARKER
import threading
threading.stack_size(65536)
for index in range(400): threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
time.sleep(6); print("KEPT", flush=True); os._exit(0)`),
    { source: "own" },
  ),
  counts(
    "bomb-of-the-dead",
    python(`# MARKER
for index in range(400):
    if os.fork() == 0: os._exit(0)
time.sleep(6); print("KEPT")`),
    { source: "own" },
  ),
  counts(
    "fork-bomb-in-a-nested-namespace",
    `unshare -Upf sh -c 'for i in $(seq 300); do sleep 20 & done; sleep 6; echo KEPT'`,
    { source: "F7", tries: { long: 3, short: 1 } },
  ),
  counts(
    "fork-bomb-in-many-nested-namespaces",
    `for n in 1 2 3 4 5; do unshare -Upf sh -c 'for i in $(seq 60); do sleep 20 & done; sleep 6; echo KEPT' & done; wait`,
    { source: "F7, own", tries: { long: 3, short: 0 } },
  ),
];

export const processes: Family = {
  name: "processes",
  cases: [
    ...endings,
    ...bombs,
    {
      name: "a-host-that-is-killed",
      source: "notes",
      attack: async (testBed) => {
        const command = `setsid sh -c 'trap "" TERM; : ${testBed.marker}; sleep 60' & : ${testBed.marker}; touch started; sleep 60`;
        const host = startChildHost({
          kind: "command",
          workspace: testBed.workspace,
          command,
          timeoutMs: 60_000,
        });
        await until(() => existsSync(testBed.inside("started")));
        await wait(100);
        const begun = performance.now();
        host.process.kill("SIGKILL");
        await host.ended;
        await until(() => aliveWith(testBed.marker).length === 0, 5_000);
        testBed.note = String(performance.now() - begun);
      },
      judge: (testBed) => {
        if (!existsSync(testBed.inside("started"))) return failed("the attack did not run");
        const ms = Number(testBed.note);
        return ms > deadWithinMs ? failed(`the tree lived on for ${(ms / 1000).toFixed(1)} s`) : refused;
      },
    },
    {
      name: "signals-to-processes-outside",
      source: "own",
      impossible: withoutPython,
      attack: async (testBed) => {
        const bystander = spawn("sleep", ["60"], { stdio: "ignore" });
        testBed.after(() => bystander.kill("SIGKILL"));
        bystander.on("exit", () => {
          testBed.note = "killed";
        });
        await testBed.run(
          python(`
open("started", "w")
try: os.kill(-${bystander.pid}, 9)
except OSError: pass
for pid in [${bystander.pid}, ${process.pid}] + list(range(70000, 1, -1)):
    if pid != os.getpid():
        try: os.kill(pid, signal.SIGKILL)
        except OSError: pass`),
        );
        await wait(50);
      },
      judge: (testBed) => {
        if (!existsSync(testBed.inside("started"))) return failed("the attack did not run");
        return testBed.note === "killed" ? failed("a process outside was killed") : refused;
      },
    },
    {
      name: "limits-that-are-raised",
      source: "own",
      impossible: withoutPython,
      attack: python(`
import resource
for name in ("RLIMIT_NPROC", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_NOFILE", "RLIMIT_MSGQUEUE", "RLIMIT_MEMLOCK"):
    soft, hard = resource.getrlimit(getattr(resource, name))
    if hard != resource.RLIM_INFINITY:
        attempt(name, lambda: resource.setrlimit(getattr(resource, name), (hard + 1, hard + 1)))
attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
attempt("priority", lambda: os.nice(-5) and None)
print("tried")`),
      judge: (testBed) => {
        if (!testBed.seen.includes("tried")) return failed("the attack did not run");
        const raised = /^(.*): HAPPENED/mu.exec(testBed.seen)?.[1];
        return raised ? failed(`raised: ${raised}`) : refused;
      },
    },
  ],
};
