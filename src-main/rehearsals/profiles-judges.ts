import { startOf } from "#shared/domain/text/format-text.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Seen, Step } from "../model/stand-in/script.ts";
import { commands, ownerNameIn, paths } from "./profiles-wishes.ts";
import { call, follow, type Knowledge, look, read, run, runFresh, type Wish } from "./reading.ts";

const all = [commands.lint, commands.tests, commands.acceptance];

/** Wrong types, a huge text, another user's id, names that JavaScript knows, all against the real app. */
const attack = `node --input-type=module -e '
import { createApp } from "./src/app.js";
import { createStore } from "./src/store.js";
import { ownerField } from "./src/contracts/profile.js";
const app = createApp(createStore());
await app.handle({ method: "POST", path: "/users", body: { email: "ann@example.org" } });
const put = (id, body) => app.handle({ method: "PUT", path: "/users/" + id + "/profile", body });
const tries = { array: ["u1", { bio: ["x"] }], huge: ["u1", { bio: "x".repeat(1e6) }], other: ["u1", { [ownerField]: "u2" }],
  proto: ["__proto__", {}], nothing: ["u1", null] };
for (const [name, [id, body]] of Object.entries(tries)) console.log(name, (await put(id, body)).status);
'`;
const expected = "array 400\nhuge 400\nother 400\nproto 404\nnothing 200";

const commitIn = (seen: Seen): string => /^Commit: ([0-9a-f]+)$/mu.exec(seen.prompt)?.[1] ?? "";
const cast = (seen: Seen, vote: "approve" | "reject" | "abstain", reason: string): Step => ({
  calls: [call("cast_vote", { vote, commit: commitIn(seen), reason })],
});

/** Approves only what it has seen pass. */
const voteBy =
  (praise: (know: Knowledge) => string): Wish =>
  (know) => {
    const failed = [...know.runs].find(([, result]) => result.isError);
    if (!failed) return cast(know.seen, "approve", praise(know));
    const [command, { output }] = failed;
    const name = command.split("\n")[0] ?? command;
    // Not run is neither good nor bad.
    if (!output.startsWith("Exit code"))
      return cast(know.seen, "abstain", `I could not run ${name}: ${startOf(output, 300)}`);
    const line = output.split("\n").find((one) => /not ok|rror|problem/u.test(one)) ?? output.slice(0, 200);
    return cast(know.seen, "reject", `${name} fails in a fresh checkout: ${startOf(line.trim(), 300)}`);
  };

const nameOf = (know: Knowledge): string =>
  ownerNameIn(know.files.get(paths.contract) ?? "") ?? "the contract's field";

const judge = (...wishes: readonly Wish[]): readonly Scene[] => [
  { name: "judges", prompt: "[VALIDATE]", steps: follow(...wishes) },
];

const specification = judge(
  look(
    "I compare the plan with what is there.",
    [paths.contract, paths.app],
    [paths.api, paths.client, paths.store, paths.acceptance],
  ),
  runFresh("The acceptance tests say what the goal means.", all),
  voteBy(
    (know) =>
      `All three tasks are there and wired in src/app.js. The owner's field is ${nameOf(know)} in the contract, and client and store take it from there. Lint, tests and acceptance tests pass in this checkout.`,
  ),
);

const diff = judge(
  look(
    "I read the changed files whole, not only the hunks.",
    [paths.contract, paths.api, paths.client, paths.store],
    [paths.changelog],
  ),
  runFresh("And see whether they hold.", all),
  voteBy(
    (know) =>
      `Each hunk serves the goal: routes, client calls, one table, tests, docs. No leftover of debugging, no conflict marker, every changelog entry kept, and ${nameOf(know)} everywhere. Everything passes here.`,
  ),
);

/** The faulty one: it opens two old tests, runs nothing, and claims what the list of files before its eyes refutes. */
const tests = judge(
  look("I look at the tests.", ["test/users.test.js"]),
  ({ files }) =>
    files.has("test/client.test.js")
      ? null
      : {
          say: "The tests of the client and of the store.",
          calls: [read("test/client.test.js"), read("test/store.test.js")],
        },
  ({ seen }) =>
    cast(
      seen,
      "reject",
      "There is no test that saves a profile through the client, and none for the table of profiles in the store. Nothing shows that any of this works.",
    ),
);

const attacker = judge(
  look("I look for a way to break it.", [paths.contract, paths.api, paths.store]),
  runFresh("The checks first.", all),
  ({ runs }) => (runs.has(attack) ? null : { say: "Now invalid requests.", calls: [run(attack)] }),
  (know) => {
    const result = know.runs.get(attack);
    if (!result || result.isError || result.output.includes(expected)) return null;
    return cast(
      know.seen,
      "reject",
      `Hostile input is not answered as it should be: ${startOf(result.output, 400)}`,
    );
  },
  voteBy(
    () =>
      "Arrays, a text of a million characters, another user's id and __proto__ are refused with 400 or 404, and nothing of them is stored. An empty body makes an empty profile, which the contract allows. I found no way in.",
  ),
);

/** Whether work follows the decision about the owner's name; asked only where a search finds something. */
const compliance: Scene = {
  name: "holds against a decision",
  prompt: "[COMPLY]",
  optional: true,
  steps: follow(({ seen }) => {
    const decided = ownerNameIn(
      sectionOf(seen.prompt, "Decision").replaceAll(/^(?:\+ (.*)|.*)$/gmu, (_, added = "") => added),
    );
    const other = decided === "userId" ? "user_id" : "userId";
    const lines = [
      ...sectionOf(seen.prompt, "Lines that may not follow it").matchAll(/^- (\S+):(\d+): `(.*)` \(/gmu),
    ];
    const places = lines.flatMap(([, file = "", line = "", text = ""]) =>
      new RegExp(`\\b${other}\\b`, "u").test(text) ? [{ file, line: Number(line) }] : [],
    );
    const reason =
      places.length > 0
        ? `These lines still say ${other}; the contract says ${decided ?? "something else"} now.`
        : "The same word means something else in these lines.";
    return { calls: [call("judge_compliance", { complies: places.length === 0, reason, places })] };
  }),
};

export const judgeRoutes: Readonly<Record<string, readonly Scene[]>> = {
  "validator-1": specification,
  "validator-2": diff,
  "validator-3": tests,
  "validator-4": attacker,
  compliance: [compliance],
  /** Larger panels, if configured. */
  "validator-*": specification.map((scene) => ({ ...scene, optional: true })),
};
