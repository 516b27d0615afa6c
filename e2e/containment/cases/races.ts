import { existsSync, symlinkSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { failed, race, refused } from "../case.ts";
import type { Ground } from "../ground.ts";
import { python, swapping, untilSwapped, withoutPython } from "../programs.ts";

/** A folder of the workspace and a link to what the person has opened, about to change places. */
function plant(ground: Ground): void {
  for (const name of ["one", "two", "three"]) ground.put(`workspace/nest/source/${name}.ts`, name);
  ground.put("workspace/nest/package.json", "{}");
  symlinkSync(ground.outside("opened"), ground.inside("door"));
}

/** Leaves its session and its pipes behind, so that only the process namespace ends it. */
const left = (ground: Ground, folder = "nest", link = "door"): string =>
  `setsid ${swapping(ground.marker, folder, link)} & ${untilSwapped}`;

/** Lets the exchange begin. */
async function swapped(ground: Ground): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < 15_000; await wait(5))
    if (isSwapped(ground)) return;
}

/** What a host does next: an agent's file tools look at the folder that just was. */
async function look(ground: Ground): Promise<void> {
  await ground.call((files) => files.readText("nest/source/main.ts"));
  await ground.call((files) => files.readText("nest/.env"));
  await ground.call((files) => files.search("canary", { path: "nest", regex: false, limit: 50 }));
}

const isSwapped = (ground: Ground): boolean =>
  existsSync(ground.inside("swapped")) || existsSync(ground.inside("held"));

const common = {
  source: "F1",
  tries: race,
  impossible: withoutPython,
  plant,
  // Without a single exchange it was no race, unless the folder itself is held.
  judge: (ground) => (isSwapped(ground) ? refused : failed("the attack did not run")),
} satisfies Partial<Case>;

/** An ending, with processes left that go on exchanging. */
const endings: readonly Case[] = [
  {
    ...common,
    name: "race-at-exit",
    attack: async (ground) => {
      await ground.run(`${left(ground)} exit 0`);
      await look(ground);
    },
  },
  {
    ...common,
    name: "race-at-failing-exit",
    attack: async (ground) => {
      await ground.run(`${left(ground)} exit 3`);
      await look(ground);
    },
  },
  {
    ...common,
    name: "race-when-the-shell-kills-itself",
    attack: async (ground) => {
      await ground.run(`${left(ground)} kill -9 $$`);
      await look(ground);
    },
  },
  {
    ...common,
    name: "race-at-time-limit",
    attack: async (ground) => {
      await ground.run(`${left(ground)} sleep 60`, { timeoutMs: 400 });
      // Ended before it had begun: once more, with time.
      if (!isSwapped(ground)) await ground.run(`${left(ground)} sleep 60`, { timeoutMs: 4_000 });
      await look(ground);
    },
  },
  {
    ...common,
    name: "race-at-cancel",
    attack: async (ground) => {
      const stop = new AbortController();
      const running = ground.run(`${left(ground)} sleep 60`, { signal: stop.signal });
      await swapped(ground);
      stop.abort();
      await running;
      await look(ground);
    },
  },
  {
    ...common,
    name: "race-when-memory-makes-the-end-slow",
    source: "F1, own",
    tries: race,
    attack: async (ground) => {
      const heavy = `(trap '' TERM; head -c 80000000 /dev/zero | tail >/dev/null; : ${ground.marker}) </dev/null >/dev/null 2>&1`;
      await ground.run(
        `${left(ground)} setsid ${python(`# ${ground.marker}
hold = bytearray(200_000_000)
hold[::4096] = b"x" * len(hold[::4096])
time.sleep(60)`)} </dev/null >/dev/null 2>&1 & ${heavy} & ${untilSwapped} exit 0`,
      );
      await look(ground);
    },
  },
  {
    ...common,
    name: "race-of-a-double-fork-with-a-closed-session",
    source: "F1, own",
    attack: async (ground) => {
      await ground.run(
        `(setsid sh -c 'trap "" TERM HUP INT; exec 0<&- 1>&- 2>&-; ${swapping(ground.marker, "nest", "door", 4).replaceAll("'", `'\\''`)} & ${swapping(ground.marker, "nest", "door", 4).replaceAll("'", `'\\''`)} &' &) ; ${untilSwapped}`,
      );
      await look(ground);
    },
  },
];

/** What the host does with names while, or right after, they change. */
const followers: readonly Case[] = [
  {
    ...common,
    name: "race-into-the-next-command",
    attack: async (ground) => {
      await ground.run(`${left(ground)} exit 0`);
      await ground.run("cat nest/.env door/.env; echo x > nest/planted; echo x > nest/source/planted");
    },
  },
  {
    ...common,
    name: "race-into-a-command-beside-it",
    source: "F1, own",
    attack: async (ground) => {
      const stop = new AbortController();
      const first = ground.run(`${left(ground)} sleep 60`, { signal: stop.signal });
      await swapped(ground);
      // It may wait for the first one, or refuse to begin at all.
      const second = ground
        .run("cat nest/.env door/.env; echo x > nest/planted; echo x > nest/source/planted")
        .catch((error: unknown) => ground.see(String(error)));
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
      attack: async (ground) => {
        const stop = new AbortController();
        const command = ground.run(`${left(ground)} sleep 60`, { signal: stop.signal });
        await swapped(ground);
        const calls = { read, write, list, search }[tool];
        for (let again = 0; again < 15; again++) await calls(ground, again);
        stop.abort();
        await command;
      },
    }),
  ),
  {
    ...common,
    name: "race-against-a-file-for-a-link",
    source: "own",
    plant: (ground) => {
      ground.put("workspace/note.txt", "text");
      symlinkSync(ground.outside("secret"), ground.inside("door"));
    },
    attack: async (ground) => {
      const stop = new AbortController();
      const command = ground.run(`${left(ground, "note.txt", "door")} sleep 60`, { signal: stop.signal });
      await swapped(ground);
      for (let again = 0; again < 15; again++) {
        await ground.call((files) => files.readText("note.txt"));
        await ground.call((files) => files.search("canary", { path: "note.txt", regex: false, limit: 5 }));
        await ground.call((files) => files.writeText("note.txt", `again ${again}`));
      }
      stop.abort();
      await command;
    },
  },
  {
    ...common,
    name: "race-against-putting-a-link-back",
    source: "F1, own",
    plant: (ground) => {
      plant(ground);
      symlinkSync("one.ts", ground.inside("nest/source/.envrc"));
    },
    attack: (ground) => ground.run(`rm -f nest/source/.envrc; ${left(ground)} exit 0`),
  },
  {
    ...common,
    name: "race-against-opening-a-closed-folder",
    source: "F1, own",
    attack: (ground) => ground.run(`chmod 000 nest/source nest; ${left(ground)} exit 0`),
  },
];

const read = (ground: Ground): Promise<unknown> =>
  ground.call((files) => files.readText("nest/source/main.ts"));
const write = (ground: Ground, again: number): Promise<unknown> =>
  ground.call((files) => files.writeText(`nest/source/planted-${again}.ts`, "planted"));
const list = (ground: Ground): Promise<unknown> =>
  ground.call(async (files) => {
    const names = await files.list("nest", { recursive: true, limit: 100 });
    // The names of what stands outside are a secret too.
    if (names.some((name) => name.endsWith("main.ts"))) ground.see(ground.canary);
    return names;
  });
const search = (ground: Ground): Promise<unknown> =>
  ground.call((files) => files.search("canary", { path: "nest", regex: false, limit: 50 }));

export const races: Family = { name: "races", cases: [...endings, ...followers] };
