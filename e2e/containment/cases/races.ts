import { existsSync, symlinkSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { failed, race, refused } from "../case.ts";
import { python, swapping, untilSwapped, withoutPython } from "../programs.ts";
import { exchanges, plantExchanges, showSnapshots } from "../repository.ts";
import type { TestBed } from "../test-bed.ts";

/** A folder of the workspace and a link to what the user has opened, about to change places. */
function plant(testBed: TestBed): void {
  for (const name of ["one", "two", "three"]) testBed.putInside(`nest/source/${name}.ts`, name);
  testBed.putInside("nest/package.json", "{}");
  symlinkSync(testBed.outside("opened"), testBed.inside("door"));
}

/** Leaves its session and its pipes behind, so that only the process namespace ends it. */
const left = (testBed: TestBed, folder = "nest", link = "door"): string =>
  `setsid ${swapping(testBed.marker, folder, link)} & ${untilSwapped}`;

/** Lets the exchange begin. */
async function swapped(testBed: TestBed): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < 15_000; await wait(5))
    if (isSwapped(testBed)) return;
}

/** What a host does next: an agent's file tools look at the folder that just was. */
async function look(testBed: TestBed): Promise<void> {
  await testBed.call((files) => files.readText("nest/source/main.ts"));
  await testBed.call((files) => files.readText("nest/.env"));
  await testBed.call((files) => files.search("canary", { path: "nest", regex: false, limit: 50 }));
}

const isSwapped = (testBed: TestBed): boolean =>
  existsSync(testBed.inside("swapped")) || existsSync(testBed.inside("held"));

const common = {
  source: "F1",
  tries: race,
  impossible: withoutPython,
  plant,
  // Without a single exchange it was no race, unless the folder itself is held.
  judge: (testBed) => (isSwapped(testBed) ? refused : failed("the attack did not run")),
} satisfies Partial<Case>;

/** An ending, with processes left that go on exchanging. */
const endings: readonly Case[] = [
  {
    ...common,
    name: "race-at-exit",
    attack: async (testBed) => {
      await testBed.run(`${left(testBed)} exit 0`);
      await look(testBed);
    },
  },
  {
    ...common,
    name: "race-at-failing-exit",
    attack: async (testBed) => {
      await testBed.run(`${left(testBed)} exit 3`);
      await look(testBed);
    },
  },
  {
    ...common,
    name: "race-when-the-shell-kills-itself",
    attack: async (testBed) => {
      await testBed.run(`${left(testBed)} kill -9 $$`);
      await look(testBed);
    },
  },
  {
    ...common,
    name: "race-at-time-limit",
    attack: async (testBed) => {
      for (const timeoutMs of [400, 4_000, 25_000]) {
        // Ended before it had begun: once more, with time.
        if (!isSwapped(testBed)) await testBed.run(`${left(testBed)} sleep 60`, { timeoutMs });
      }
      await look(testBed);
    },
  },
  {
    ...common,
    name: "race-at-cancel",
    attack: async (testBed) => {
      const stop = new AbortController();
      const running = testBed.run(`${left(testBed)} sleep 60`, { signal: stop.signal });
      await swapped(testBed);
      stop.abort();
      await running;
      await look(testBed);
    },
  },
  {
    ...common,
    name: "race-when-memory-makes-the-end-slow",
    source: "F1, own",
    tries: race,
    attack: async (testBed) => {
      const heavy = `(trap '' TERM; head -c 80000000 /dev/zero | tail >/dev/null; : ${testBed.marker}) </dev/null >/dev/null 2>&1`;
      await testBed.run(
        `${left(testBed)} setsid ${python(`# ${testBed.marker}
hold = bytearray(200_000_000)
hold[::4096] = b"x" * len(hold[::4096])
time.sleep(60)`)} </dev/null >/dev/null 2>&1 & ${heavy} & ${untilSwapped} exit 0`,
      );
      await look(testBed);
    },
  },
  {
    ...common,
    name: "race-of-a-double-fork-with-a-closed-session",
    source: "F1, own",
    attack: async (testBed) => {
      await testBed.run(
        `(setsid sh -c 'trap "" TERM HUP INT; exec 0<&- 1>&- 2>&-; ${swapping(testBed.marker, "nest", "door", 4).replaceAll("'", `'\\''`)} & ${swapping(testBed.marker, "nest", "door", 4).replaceAll("'", `'\\''`)} &' &) ; ${untilSwapped}`,
      );
      await look(testBed);
    },
  },
];

/** What the host does with names while, or right after, they change. */
const followers: readonly Case[] = [
  {
    ...common,
    name: "race-into-the-next-command",
    attack: async (testBed) => {
      await testBed.run(`${left(testBed)} exit 0`);
      await testBed.run("cat nest/.env door/.env; echo x > nest/planted; echo x > nest/source/planted");
    },
  },
  {
    ...common,
    name: "race-into-a-command-beside-it",
    source: "F1, own",
    attack: async (testBed) => {
      const stop = new AbortController();
      const first = testBed.run(`${left(testBed)} sleep 60`, { signal: stop.signal });
      await swapped(testBed);
      // It may wait for the first one, or refuse to begin at all.
      const second = testBed
        .run("cat nest/.env door/.env; echo x > nest/planted; echo x > nest/source/planted")
        .catch((error: unknown) => testBed.see(String(error)));
      await wait(100);
      stop.abort();
      await Promise.all([first, second]);
    },
  },
  ...(["read", "write", "list", "search"] as const).map(
    (tool): Case => ({
      ...common,
      name: `race-against-${tool}`,
      source: "F1, notes",
      attack: async (testBed) => {
        const stop = new AbortController();
        const command = testBed.run(`${left(testBed)} sleep 60`, { signal: stop.signal });
        await swapped(testBed);
        const calls = { read, write, list, search }[tool];
        for (let again = 0; again < 15; again++) await calls(testBed, again);
        stop.abort();
        await command;
      },
    }),
  ),
  {
    ...common,
    name: "race-against-a-file-for-a-link",
    source: "own",
    plant: (testBed) => {
      testBed.putInside("note.txt", "text");
      symlinkSync(testBed.outside("secret"), testBed.inside("door"));
    },
    attack: async (testBed) => {
      const stop = new AbortController();
      const command = testBed.run(`${left(testBed, "note.txt", "door")} sleep 60`, { signal: stop.signal });
      await swapped(testBed);
      for (let again = 0; again < 15; again++) {
        await testBed.call((files) => files.readText("note.txt"));
        await testBed.call((files) => files.search("canary", { path: "note.txt", regex: false, limit: 5 }));
        await testBed.call((files) => files.writeText("note.txt", `again ${again}`));
      }
      stop.abort();
      await command;
    },
  },
  {
    ...common,
    name: "race-against-jj-while-it-runs",
    source: "own",
    tries: { long: 5, short: 1, tests: 0 },
    plant: plantExchanges,
    attack: async (testBed) => {
      const stop = new AbortController();
      const command = testBed.run(`${exchanges(testBed)} sleep 60`, { signal: stop.signal });
      await swapped(testBed);
      await showSnapshots(testBed, 15);
      stop.abort();
      await command;
    },
  },
  {
    ...common,
    name: "race-against-putting-a-link-back",
    source: "F1, own",
    plant: (testBed) => {
      plant(testBed);
      symlinkSync("one.ts", testBed.inside("nest/source/.envrc"));
    },
    attack: (testBed) => testBed.run(`rm -f nest/source/.envrc; ${left(testBed)} exit 0`),
  },
  {
    ...common,
    name: "race-against-opening-a-closed-folder",
    source: "F1, own",
    attack: (testBed) => testBed.run(`chmod 000 nest/source nest; ${left(testBed)} exit 0`),
  },
];

const read = (testBed: TestBed): Promise<unknown> =>
  testBed.call((files) => files.readText("nest/source/main.ts"));
const write = (testBed: TestBed, again: number): Promise<unknown> =>
  testBed.call((files) => files.writeText(`nest/source/planted-${again}.ts`, "planted"));
const list = (testBed: TestBed): Promise<unknown> =>
  testBed.call(async (files) => {
    const names = await files.list("nest", { recursive: true, limit: 100 });
    // The names of files outside are a secret too.
    if (names.some((name) => name.endsWith("main.ts"))) testBed.see(testBed.canary);
    return names;
  });
const search = (testBed: TestBed): Promise<unknown> =>
  testBed.call((files) => files.search("canary", { path: "nest", regex: false, limit: 50 }));

export const races: Family = { name: "races", cases: [...endings, ...followers] };
