/** The agent that writes the client of profiles. */
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Step } from "../model/stand-in/script.ts";
import {
  changelog,
  clientReads,
  clientSaves,
  clientSaveTest,
  clientTest,
  commands,
  done,
  endOnFailure,
  endRound,
  giveUpOnConflicts,
  lookAtConflicts,
  mendConflicts,
  paths,
  settledName,
  testOf,
  text,
} from "./profiles-wishes.ts";
import { call, edit, follow, type Knowledge, look, run, runFresh, type Wish, write } from "./reading.ts";

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
  return {
    say: know.refused.has(paths.client)
      ? "That text occurs more than once, so the edit was refused. One line after `addUser` does the same without a helper."
      : "Reading first: it does not depend on how the owner is called.",
    calls: [write(paths.client, clientReads)],
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
  return {
    say:
      name === null
        ? "I take the name from the contract and write it out nowhere, so whatever it will be holds here too."
        : `Decided: \`${name}\`. The client takes it from the contract, so it is written out nowhere.`,
    calls: [
      write(paths.client, clientSaves),
      write(paths.clientTest, clientSaveTest),
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

export const clientScene: Scene = {
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
