/** The agent that keeps profiles in the store. */
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { commands, paths } from "./profiles-sources.ts";
import {
  keptAsGiven,
  storeCopyTest,
  storeFirst,
  storeImport,
  storePut,
  storeTable,
  storeTest,
  tableKeepsCopies,
  tablePut,
} from "./profiles-store-sources.ts";
import {
  changelog,
  done,
  endOnFailure,
  endRound,
  giveUpOnConflicts,
  lookAtConflicts,
  mendConflicts,
  testOf,
  text,
} from "./profiles-wishes.ts";
import { edit, follow, look, run, runFresh, type Wish, write } from "./reading.ts";

const ignoreHalfWritten: Wish = (know) => {
  const ignored = text(know, ".gitignore");
  if (ignored === null || ignored.includes("*.new") || know.refused.has(".gitignore")) return null;
  if (text(know, paths.store)?.includes("profiles")) return null;
  return {
    say: "The store writes `*.new` files before it renames them. I have git ignore those.",
    calls: [edit(".gitignore", ignored, `${ignored}*.new\n`)],
  };
};

const tableInStore: Wish = (know) => {
  const source = text(know, paths.store);
  if (source === null || /^ {4}profiles: \{/mu.test(source)) return null;
  const lastImport = [...source.matchAll(/^import .*\n/gmu)].at(-1)?.[0];
  const users = /^ {2}const users = .*\n/mu.exec(source)?.[0];
  const end = /^ {4}\},\n(?= {2}\};\n\})/mu.exec(source)?.[0];
  if (lastImport === undefined || users === undefined || end === undefined) return null;
  const withTable = source
    .replace(lastImport, () => `${lastImport}${storeImport}`)
    .replace(users, () => `${users}${storeTable}`)
    .replace(/^ {4}\},\n(?= {2}\};\n\})/mu, () => `${end}${storeFirst}`);
  return {
    say: know.refused.has(".gitignore")
      ? "`.gitignore` is protected, and it need not change: `data/` is ignored as a whole. On with the table of profiles."
      : "A table of profiles beside the users.",
    calls: [write(paths.store, withTable)],
  };
};

const testStore: Wish = (know) =>
  text(know, paths.storeTest) !== null
    ? null
    : {
        say: "Two things must hold: one profile per user, and profiles that outlive the process.",
        calls: [write(paths.storeTest, storeTest), run(testOf(paths.storeTest))],
      };

const mendPut: Wish = (know) => {
  const source = text(know, paths.store);
  if (!source?.includes(storePut.before)) return null;
  const add = /^ {4}add: \(row\) => \{\n/mu.exec(source)?.[0];
  if (add === undefined) return null;
  const mended = source
    .replace(storePut.before, () => storePut.after)
    .replace(add, () => `${tablePut}${add}`);
  return {
    thinking:
      "Saving twice leaves two rows, and `find` answers the older one. The table needs to replace a row, not only add one.",
    say: "Saving again kept the old row. The table learns to replace one.",
    calls: [write(paths.store, mended), run(testOf(paths.storeTest))],
  };
};

const keepCopies: Wish = (know) => {
  const [source, test] = [text(know, paths.store), text(know, paths.storeTest)];
  if (sectionOf(know.seen.prompt, "Changes requested") === "") return null;
  if (!source?.includes(keptAsGiven) || test === null) return null;
  return {
    thinking: "True: the test of replacing never touches the object again, so it could not see this.",
    say: "The row was the caller's own object. The table keeps a copy now, and a test changes the object afterwards.",
    calls: [
      write(paths.store, tableKeepsCopies(source)),
      write(paths.storeTest, `${test}${storeCopyTest}`),
      run(testOf(paths.storeTest)),
    ],
  };
};

const restAfterStore: Wish = (know) =>
  know.written.has(paths.store)
    ? endRound(
        "The store keeps one profile per user. I end this round, so that the checks of the project run.",
      )
    : null;

export const storeScene: Scene = {
  name: "profile store",
  prompt: (seen) => sectionOf(seen.prompt, "Task").includes(paths.store),
  steps: follow(
    look(
      "I read the contract and the store.",
      [paths.contract, paths.store, ".gitignore", paths.changelog],
      [paths.storeTest],
    ),
    lookAtConflicts,
    mendConflicts,
    giveUpOnConflicts,
    ignoreHalfWritten,
    tableInStore,
    testStore,
    mendPut,
    keepCopies,
    restAfterStore,
    changelog("The store keeps one profile per user."),
    runFresh("The whole project once more.", [commands.lint, commands.tests]),
    endOnFailure,
    done(
      "The store keeps one profile per user, in memory and in profiles.json; saving again replaces the row. The owner's field comes from the contract. Tests for both; lint and all tests pass.",
    ),
  ),
};
