import type { Scene } from "../model/stand-in/script.ts";
import { commands, paths, readmeRows, wholeTest } from "./profiles-sources.ts";
import {
  endOnFailure,
  giveUpOnConflicts,
  lookAtConflicts,
  mendConflicts,
  settledName,
} from "./profiles-wishes.ts";
import { call, edit, follow, look, runFresh, type Wish, write } from "./reading.ts";

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
        say: "One test through all three parts, because each was tested with a stand-in for the others.",
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

export const integratorScene: Scene = {
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
            "All three parts stand together: the routes are wired in src/app.js, the changelog keeps every entry, the README names the routes, and test/profiles.test.js goes through client, routes and store. Lint, tests and acceptance tests pass.",
        }),
      ],
    }),
  ),
};
