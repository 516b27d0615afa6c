import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import { defineScript, type Scene } from "../model/stand-in/script.ts";
import { clientScene } from "./profiles-client.ts";
import { judgeRoutes } from "./profiles-judges.ts";
import { orchestratorScenes } from "./profiles-orchestrator.ts";
import {
  addsOnly,
  api,
  apiTest,
  changelog,
  commands,
  done,
  endOnFailure,
  endRound,
  giveUpOnConflicts,
  keptAsGiven,
  lookAtConflicts,
  mendConflicts,
  ownerLines,
  ownerLinesIn,
  paths,
  readmeRows,
  settledName,
  storeAdds,
  storeCopies,
  storeCopyTest,
  storeReplaces,
  storeTest,
  testOf,
  text,
  undecided,
  wholeTest,
} from "./profiles-wishes.ts";
import { call, edit, follow, look, run, runFresh, type Wish, write } from "./reading.ts";

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

/**
 * A task that the user added to the plan: the script writes a note about it, and says that it is a script.
 */
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
  const hasFailedCheck = sectionOf(know.seen.prompt, "Last checks").includes("console.log");
  return {
    say: hasFailedCheck
      ? "The lint is right: a line of my debugging is still there."
      : "A line of my debugging is still there.",
    calls: [edit(paths.api, line, "")],
  };
};

/** The agent that writes the API of profiles. */
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
  return {
    say: know.refused.has(".gitignore")
      ? "`.gitignore` is protected, and it need not change: `data/` is ignored as a whole. On with the table of profiles."
      : "A table of profiles beside the users.",
    calls: [write(paths.store, storeAdds)],
  };
};

const testStore: Wish = (know) =>
  text(know, paths.storeTest) !== null
    ? null
    : {
        say: "Two things must hold: one profile per user, and profiles that outlive the process.",
        calls: [write(paths.storeTest, storeTest), run(testOf(paths.storeTest))],
      };

const mendPut: Wish = (know) =>
  text(know, paths.store)?.includes(addsOnly)
    ? {
        thinking:
          "Saving twice leaves two rows, and `find` answers the older one. The table needs to replace a row, not only add one.",
        say: "Saving again kept the old row. The table learns to replace one.",
        calls: [write(paths.store, storeReplaces), run(testOf(paths.storeTest))],
      }
    : null;

const keepCopies: Wish = (know) => {
  if (sectionOf(know.seen.prompt, "Changes requested") === "") return null;
  if (!text(know, paths.store)?.includes(keptAsGiven)) return null;
  return {
    thinking: "True: the test of replacing never touches the object again, so it could not see this.",
    say: "The row was the caller's own object. The table keeps a copy now, and a test changes the object afterwards.",
    calls: [
      write(paths.store, storeCopies),
      write(paths.storeTest, storeCopyTest),
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

/** The agent that keeps profiles in the store. */
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

/** Agents of the profiles rehearsal. */
const agentScenes: readonly Scene[] = [apiScene, clientScene, storeScene, otherScene];

const wire: Wish = ({ files }) => {
  const app = files.get(paths.app);
  if (!app || app.includes("profileRoutes") || typeof files.get(paths.api) !== "string") return null;
  const before = /^import \{ userRoutes \} from .*\n/mu.exec(app)?.[0];
  const routes = "[...userRoutes(store)]";
  if (before === undefined || app.split(routes).length !== 2) return null;
  return {
    say: "Nobody owned `src/app.js`, so nothing is wired yet: the routes of profiles go beside those of users.",
    calls: [
      edit(paths.app, before, `import { profileRoutes } from "./profiles.js";\n${before}`),
      edit(paths.app, routes, "[...userRoutes(store), ...profileRoutes(store)]"),
    ],
  };
};

const testWhole: Wish = ({ files }) =>
  typeof files.get(paths.wholeTest) === "string"
    ? null
    : {
        say: "One test through all three parts, because each was tested with a stub for the others.",
        calls: [write(paths.wholeTest, wholeTest)],
      };

const describeInReadme: Wish = ({ files }) => {
  const readme = files.get(paths.readme);
  const row = /^\| `GET \/users\/:id` .*\n/mu.exec(readme ?? "")?.[0];
  if (!readme || row === undefined || readme.includes("/profile`")) return null;
  return { say: "And two rows in the README.", calls: [edit(paths.readme, row, `${row}${readmeRows}`)] };
};

/** A part that still writes out another name than the contract's. */
const oneName: Wish = (know) => {
  const name = settledName(know);
  if (name === null) return null;
  const other = name === "user_id" ? "userId" : "user_id";
  const changed = [paths.api, paths.apiTest].flatMap((path) => {
    const text = know.files.get(path);
    return text?.match(new RegExp(`\\b${other}\\b`, "u"))
      ? [write(path, text.replaceAll(new RegExp(`\\b${other}\\b`, "gu"), name))]
      : [];
  });
  return changed.length === 0
    ? null
    : { say: `One part still says \`${other}\`; the contract says \`${name}\`.`, calls: changed };
};

const integratorScene: Scene = {
  name: "integration",
  prompt: "[INTEGRATE]",
  steps: follow(
    look(
      "I read what came together: the contract, the three parts and the place where routes are wired.",
      [paths.contract, paths.app, paths.readme, paths.changelog],
      [paths.api, paths.apiTest, paths.client, paths.store, paths.wholeTest],
    ),
    lookAtConflicts,
    mendConflicts,
    giveUpOnConflicts,
    oneName,
    wire,
    testWhole,
    describeInReadme,
    runFresh("Lint, all tests, and the acceptance tests that were written before anything else.", [
      commands.lint,
      commands.tests,
      commands.acceptance,
    ]),
    endOnFailure,
    () => ({
      calls: [
        call("report_done", {
          summary:
            "All three parts are integrated: the routes are wired in src/app.js, the changelog keeps every entry, the README names the routes, and test/profiles.test.js goes through client, routes and store. Lint, tests and acceptance tests pass.",
        }),
      ],
    }),
  ),
};

/** A run with a question, a decision, a contradiction and a faulty judge, on the example `harbour`. (design section 13) */
export const profilesScript = defineScript({
  name: "profiles",
  routes: {
    "O-A-1": orchestratorScenes,
    "agent-*": agentScenes,
    integrator: [integratorScene],
    ...judgeRoutes,
  },
});
