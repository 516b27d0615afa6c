import { startOf } from "#shared/domain/text/cut-text.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Step } from "../model/stand-in/script.ts";
import {
  api,
  apiTest,
  clientImport,
  clientRead,
  clientSave,
  clientSaveTest,
  clientTest,
  clientTestImport,
  commands,
  keptAsGiven,
  ownerLines,
  ownerLinesIn,
  ownerNameIn,
  paths,
  storeCopyTest,
  storeFirst,
  storeImport,
  storePut,
  storeTable,
  storeTest,
  tableKeepsCopies,
  tablePut,
  undecided,
} from "./profiles-sources.ts";
import {
  call,
  conflictRegions,
  edit,
  follow,
  type Knowledge,
  look,
  run,
  runFresh,
  type Wish,
  write,
} from "./reading.ts";

const testOf = (path: string): string => `node --test ${path}`;
const text = (know: Knowledge, path: string): string | null => know.files.get(path) ?? null;

/** The name of the owner's field in the contract as this agent sees it; null while it is open or unreadable. */
export function settledName(know: Knowledge): string | null {
  const name = ownerNameIn(text(know, paths.contract) ?? "");
  return name === undecided ? null : name;
}

/** In a conflict with a decision its side holds; in any other both sides stay where they are lists. */
export const mendConflicts: Wish = (know) => {
  const mended = [...know.files].flatMap(([path, content]) => {
    const regions = content === null ? [] : conflictRegions(content);
    if (content === null || regions.length === 0) return [];
    let after = content;
    for (const { region, sides } of regions) {
      const chosen = sides.find((side) => side.includes("Decided for all")) ?? allEntries(sides);
      if (chosen === null) return [];
      after = after.replace(region, () => chosen);
    }
    return [write(path, after)];
  });
  if (mended.length === 0) return null;
  const contradiction = sectionOf(know.seen.prompt, "Conflict with a decision") !== "";
  return contradiction
    ? {
        thinking:
          "The markers show my line against the decision's. A decision binds me, whatever I had guessed.",
        say: "My line in the contract contradicts the decision. I take the decision's side as it stands, then follow it in my own files.",
        calls: mended,
      }
    : {
        say: "Everyone added to the same list. No entry excludes another, so all of them stay.",
        calls: mended,
      };
};

/** Lists of which each side added some: every entry once, with the blank lines around them. Null for anything else. */
function allEntries(sides: readonly string[]): string | null {
  const entries = [...new Set(sides.flatMap((side) => side.split("\n")))].filter((line) => line !== "");
  if (!entries.every((line) => line.startsWith("- "))) return null;
  const before = sides.some((side) => side.startsWith("\n")) ? "\n" : "";
  const after = sides.some((side) => side.endsWith("\n\n")) ? "\n" : "";
  return `${before}${entries.join("\n")}\n${after}`;
}

/** What no script can mend is told and not papered over. */
export const giveUpOnConflicts: Wish = (know) => {
  const left = [...know.files].filter(
    ([, content]) => content !== null && conflictRegions(content).length > 0,
  );
  if (left.length === 0) return null;
  const names = left.map(([path]) => path).join(", ");
  return {
    say: `I cannot tell which side of ${names} is meant.`,
    calls: [
      call("report_done", {
        summary: `Stopped at ${names}.`,
        blocked: `Both sides of the conflict in ${names} say something else. Decide which one holds.`,
      }),
    ],
  };
};

/** Reads the files that the prompt says are in conflict. */
export const lookAtConflicts: Wish = (know) => {
  const named = ["Conflict with a decision", "Conflicts"].flatMap((title) =>
    [...sectionOf(know.seen.prompt, title).matchAll(/^- (\S+)$/gmu)].map((match) => match[1] ?? ""),
  );
  const unread = named.filter((path) => path !== "" && !know.files.has(path));
  return unread.length === 0
    ? null
    : {
        say: "First the files with conflict markers.",
        calls: unread.map((path) => call("read_file", { path })),
      };
};

export const changelog =
  (line: string): Wish =>
  (know) => {
    const before = text(know, paths.changelog);
    if (before === null || before.includes(line)) return null;
    const heading = "## Unreleased\n";
    if (before.split(heading).length !== 2) return null;
    const first = before.includes(`${heading}\n- `);
    return {
      say: "A line for the changelog.",
      calls: [
        first
          ? edit(paths.changelog, `${heading}\n`, `${heading}\n- ${line}\n`)
          : edit(paths.changelog, heading, `${heading}\n- ${line}\n`),
      ],
    };
  };

/** A check of the whole that fails where nothing is left to mend ends the round: the next prompt shows it. */
export const endOnFailure: Wish = ({ runs }) => {
  const failed = [...runs].find(([, result]) => result.isError);
  if (!failed) return null;
  const words =
    failed[1].output.split("\n").find((line) => /not ok|rror|problem|not run/u.test(line)) ??
    "see its output";
  return {
    say: `\`${failed[0]}\` fails: ${startOf(words.trim(), 200)}. I end this round with the work saved.`,
  };
};

const done =
  (summary: string): Wish =>
  () => ({ calls: [call("report_done", { summary })] });
const endRound = (say: string): Step => ({ say });

// ---- the API ---------------------------------------------------------------------------------------------------

/** Follows the name that the contract settled on, in files that write another one out. */
const followName =
  (files: readonly string[]): Wish =>
  (know) => {
    const name = settledName(know);
    if (name === null) return null;
    const others = ["userId", "user_id"].filter((one) => one !== name);
    const changed = files.flatMap((path) => {
      const before = text(know, path);
      if (before === null) return [];
      const after = others.reduce(
        (all, other) => all.replaceAll(new RegExp(`\\b${other}\\b`, "gu"), name),
        before,
      );
      return after === before ? [] : [write(path, after)];
    });
    return changed.length === 0
      ? null
      : {
          say: sectionOf(know.seen.prompt, "Conflict with a decision").includes(paths.api)
            ? `The decision says \`${name}\`, and ${paths.api} still has my own name where no conflict shows it. I follow it there and in the test.`
            : `The decision says \`${name}\`. I follow it in the routes and in their test.`,
          calls: changed,
        };
  };

const writeApi: Wish = (know) => {
  if (text(know, paths.api) !== null) return null;
  const contract = text(know, paths.contract) ?? "";
  const lines = ownerLinesIn(contract);
  const name = settledName(know);
  const source = name === null ? api : api.replaceAll(/\buserId\b/gu, name);
  if (name !== null || lines === null) {
    return {
      say: `The contract calls the owner's field \`${name ?? undecided}\`. I write the routes with it.`,
      calls: [write(paths.api, source)],
    };
  }
  return {
    thinking:
      "`user` reads like a whole user, but the field holds an id. The routes are the first to need the name, and the API speaks camel case.",
    say: "The contract leaves the owner's field at `user`. I name it `userId` there and write the two routes with it.",
    calls: [edit(paths.contract, lines, ownerLines.agent), write(paths.api, source)],
  };
};

const testApi: Wish = (know) => {
  if (text(know, paths.apiTest) !== null) return null;
  const source = apiTest.replaceAll(/\buserId\b/gu, settledName(know) ?? "userId");
  return {
    say: "A test for each rule, with a store as small as the routes allow.",
    calls: [write(paths.apiTest, source), run(testOf(paths.apiTest))],
  };
};

const mendLimit: Wish = (know) => {
  const wrong = "text.length >= most";
  if (!text(know, paths.api)?.includes(wrong)) return null;
  return {
    thinking:
      "A headline of exactly 80 characters is refused. The contract says 80 is the longest, so 80 must pass.",
    say: "The test is right and I was off by one: a text may be as long as its limit.",
    calls: [edit(paths.api, wrong, "text.length > most"), run(testOf(paths.apiTest))],
  };
};

const debugLine: Wish = (know) => {
  const line = /^.*console\.log\(.*\n/mu.exec(text(know, paths.api) ?? "")?.[0];
  if (line === undefined) return null;
  if (know.written.has(paths.api))
    return endRound(
      "The routes pass their own test. I end this round, so that the checks of the project run.",
    );
  const told = sectionOf(know.seen.prompt, "Last checks").includes("console.log");
  return {
    say: told
      ? "The lint is right: a line of my debugging is still there."
      : "A line of my debugging is still there.",
    calls: [edit(paths.api, line, "")],
  };
};

const apiScene: Scene = {
  name: "profile API",
  prompt: (seen) => sectionOf(seen.prompt, "Task").includes(paths.api),
  steps: follow(
    look(
      "I read the contract and how the routes for users are written.",
      [paths.contract, "src/users.js", "src/http.js", paths.changelog],
      [paths.api, paths.apiTest],
    ),
    lookAtConflicts,
    mendConflicts,
    giveUpOnConflicts,
    followName([paths.api, paths.apiTest]),
    writeApi,
    testApi,
    mendLimit,
    debugLine,
    changelog("`GET` and `PUT /users/:id/profile` read and replace a user's profile."),
    runFresh("The whole project once more.", [commands.lint, commands.tests]),
    endOnFailure,
    done(
      "Routes to read and to replace a profile in src/profiles.js, with the limits of the contract. Each rule has a test against a small store; lint and all tests pass. The routes still have to be added in src/app.js.",
    ),
  ),
};

// ---- the client ------------------------------------------------------------------------------------------------

const readInClient: Wish = (know) => {
  const source = text(know, paths.client);
  if (source === null || /^ {4}profile: /mu.test(source)) return null;
  const twice = "  return {";
  if (!know.refused.has(paths.client) && source.split(twice).length > 2) {
    const helper = '  const profilePath = (id) => "/users/" + encodeURIComponent(id) + "/profile";\n';
    return {
      say: "Reading first: it does not depend on how the owner is called.",
      calls: [edit(paths.client, twice, `${helper}${twice}`)],
    };
  }
  const anchor = /^ {4}addUser: .*$/mu.exec(source)?.[0];
  if (anchor === undefined) return null;
  return {
    say: know.refused.has(paths.client)
      ? "That text stands there more than once, so the edit was refused. One line after `addUser` does the same without a helper."
      : "Reading first: it does not depend on how the owner is called.",
    calls: [edit(paths.client, anchor, `${anchor}\n${clientRead}`)],
  };
};

const testClient: Wish = (know) =>
  text(know, paths.clientTest) !== null
    ? null
    : {
        say: "A test that keeps requests instead of sending them.",
        calls: [write(paths.clientTest, clientTest), run(testOf(paths.clientTest))],
      };

const saveInClient: Wish = (know) => {
  const source = text(know, paths.client);
  const test = text(know, paths.clientTest);
  if (source === null || test === null || source.includes("saveProfile")) return null;
  const name = settledName(know);
  const answered = sectionOf(know.seen.prompt, "Messages") !== "";
  if (name === null && !answered) return askForName(know);
  const anchor = source.includes(clientRead) ? clientRead : /^ {4}addUser: .*$/mu.exec(source)?.[0];
  if (anchor === undefined) return null;
  const withSave = source.replace(anchor, () => `${anchor}\n${clientSave}`);
  const lastImport = [...test.matchAll(/^import .*\n/gmu)].at(-1)?.[0] ?? "";
  const withTest = `${test.replace(lastImport, () => `${lastImport}${clientTestImport}`)}${clientSaveTest}`;
  return {
    say:
      name === null
        ? "I take the name from the contract and write it out nowhere, so whatever it will be holds here too."
        : `Decided: \`${name}\`. The client takes it from the contract, so it is written out nowhere.`,
    calls: [
      write(paths.client, `${clientImport}${withSave}`),
      write(paths.clientTest, withTest),
      run(testOf(paths.clientTest)),
    ],
  };
};

function askForName(know: Knowledge): Step {
  if (know.written.has(paths.client) || know.written.has(paths.clientTest)) {
    return endRound(
      "Reading works. Saving needs the name of the owner's field, which the contract leaves at `user`. I end this round and look how the others name things.",
    );
  }
  if (!know.seen.history.some((one) => one.tool === "search")) {
    return {
      say: "How are fields named elsewhere?",
      calls: [call("search", { pattern: "created_at" }), call("search", { pattern: "baseUrl" })],
    };
  }
  return {
    thinking:
      "Two habits in one project. If the client and the API guess differently, everything passes alone and nothing works together.",
    say: "Stored rows are in snake case, the client's own words in camel case, and the contract says neither. Guessing would only show at integration, so I ask.",
    calls: [
      call("align_request", {
        question:
          "The contract calls the field that names a profile's user `user` for now. Stored rows use snake case (`created_at`), the client's own options use camel case (`baseUrl`). Which name do API, client and store share?",
        options: ["user_id", "userId"],
        blocking: true,
      }),
    ],
  };
}

const clientScene: Scene = {
  name: "profile client",
  prompt: (seen) => sectionOf(seen.prompt, "Task").includes(paths.client),
  steps: follow(
    look(
      "I read the contract, the client and what it will talk to.",
      [paths.contract, paths.client, "test/client.test.js", paths.changelog],
      [paths.clientTest],
    ),
    lookAtConflicts,
    mendConflicts,
    giveUpOnConflicts,
    readInClient,
    testClient,
    saveInClient,
    changelog("The client reads and saves profiles."),
    runFresh("The whole project once more.", [commands.lint, commands.tests]),
    endOnFailure,
    done(
      "The client reads a profile and saves one; the owner's field comes from the contract and is written out nowhere. Two tests look at the requests that it makes; lint and all tests pass.",
    ),
  ),
};

// ---- the store -------------------------------------------------------------------------------------------------

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

const storeScene: Scene = {
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

/** The first new Markdown file that a task may write, with the task's own words: that much a script can do unasked. */
const writeItDown: Wish = ({ seen, written, refused }) => {
  const task = sectionOf(seen.prompt, "Task");
  const path = /^- (\S+\.md)$/mu.exec(task)?.[1];
  if (path === undefined || written.has(path) || refused.has(path)) return null;
  const title = /^\[TASK\] (.+)$/mu.exec(seen.prompt)?.[1] ?? "A task";
  const words = task.split("Files that are yours:")[0]?.trim() ?? "";
  return {
    say: `${path} is mine to write. I put down what the task says.`,
    calls: [write(path, `# ${title}\n${words === "" ? "" : `\n${words}\n`}`)],
  };
};

/** A task that a person added to the plan: the script writes down what it is about, and says that it is a script. */
const otherScene: Scene = {
  name: "another task",
  prompt: "[TASK]",
  optional: true,
  steps: follow(
    look("I look at what is there.", [paths.readme]),
    lookAtConflicts,
    mendConflicts,
    giveUpOnConflicts,
    writeItDown,
    done(
      "This is a rehearsal, and its script knows the tasks API, client and store. Of any other it writes down what it is about, where the task has a Markdown file for that.",
    ),
  ),
};

export const agentScenes: readonly Scene[] = [apiScene, clientScene, storeScene, otherScene];
