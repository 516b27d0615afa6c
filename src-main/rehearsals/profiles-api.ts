/** The agent that writes the API of profiles. */
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { api, apiTest, commands, ownerLines, ownerLinesIn, paths, undecided } from "./profiles-sources.ts";
import {
  changelog,
  done,
  endOnFailure,
  endRound,
  giveUpOnConflicts,
  lookAtConflicts,
  mendConflicts,
  settledName,
  testOf,
  text,
} from "./profiles-wishes.ts";
import { edit, follow, look, run, runFresh, type Wish, write } from "./reading.ts";

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

export const apiScene: Scene = {
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
