import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { Scene, Seen } from "../../../../model/stand-in/script.ts";
import { eventually } from "../../../../testing/kit.ts";
import { call } from "../../../testing/merge-request-script.ts";
import { requestsOf, worker } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import {
  done,
  neverDone,
  patientFiles,
  rewrite,
  threeAgents,
  write,
} from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const entry = fileURLToPath(new URL("../../../../cli.ts", import.meta.url));
/** The command of another terminal, beside the run. */
const hox = (one: Fixture, ...args: readonly string[]) =>
  execa(process.execPath, [entry, ...args], {
    cwd: one.root,
    stdin: "ignore",
    env: { ...process.env, HOX_STATE: join(one.repo.folder, "terminal"), NO_COLOR: "1" },
  });

const wordsOfUser = "Speak of user_id, please.";

/** As part of a prompt, or as a note to a conversation that has already begun. */
const hasWordsOfUser = ({ prompt, notes }: Seen): boolean =>
  [prompt, ...notes].some((text) => text.includes(wordsOfUser));

/** Whose work is red until it reads the user's words. */
function untilTold(path: string): readonly Scene[] {
  let isTold = false;
  // A decision may cut off the turn that read them.
  const prompt = (seen: Seen): boolean => {
    isTold ||= hasWordsOfUser(seen);
    return isTold;
  };
  return [
    { name: "was told", prompt, steps: [...rewrite(path, "good\n"), done("As I was told.")] },
    {
      name: "waits",
      // In one answer, so that a note never comes between two of another scene.
      steps: [{ calls: [...write(path, "BROKEN\n").calls, ...done("Not yet.").calls] }],
      optional: true,
    },
  ];
}

test("a change labelled as a decision is offered, and binds only after a yes; a message reaches its reader, and ALIGN: asks", async () => {
  const asked: InboxItem[] = [];
  let isAnswered = false;
  fixture = await createFixture({
    files: patientFiles,
    workflow: "one-judge",
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        "O-A-1": [
          {
            name: "answers",
            prompt: /^\[EVENT align-request\][\s\S]*May the view be empty\?/,
            steps: [call("answer_agent", { agent: "agent-3", answer: "It may be empty." })],
          },
          ...(threeAgents.routes["O-A-1"] ?? []),
        ],
        "agent-2": untilTold("src/api.txt"),
        "agent-3": [
          {
            name: "follows the decision",
            prompt: ({ prompt }) => /## Decisions[\s\S]*The id is user_id/u.test(prompt) && isAnswered,
            steps: [...rewrite("src/view.txt", "good\n"), done("As decided.")],
          },
          ...neverDone,
        ],
      },
    },
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    mutation(item) {
      asked.push(item);
      return item.kind === "mutation" && item.title === "The name is a list"
        ? { kind: "reject", reason: "One name is enough." }
        : { kind: "approve" };
    },
  };
  await one.start();
  const begun = await one.until((run) =>
    ["agent-2", "agent-3"].every((name) => (worker(run, name)?.iteration ?? 0) > 0),
  );

  const terminal = one.repo.terminal;
  const [base = ""] = (
    await terminal([
      "log",
      "--no-graph",
      "-r",
      'description(regex:"Hox-Kind: base")',
      "-T",
      'change_id ++ "\n"',
    ])
  ).split("\n");
  // As a user does it, who does not know which change their decision will become.
  await terminal(["new", base]);
  await writeFile(join(one.root, "src/contract.txt"), "id: user_id\nname: text\n");
  await terminal(["describe", "-m", "The id is user_id\n\nRows have it so."]);
  await terminal(["new", base, "-m", "The name is a list"]);
  // In a file by itself: where the first decision is made before this one is read, its file has changed.
  await writeFile(join(one.root, "src/names.txt"), "name: list\n");
  await terminal(["new", "main", "-m", wordsOfUser]);
  const changeWith = (subject: string) => `description(substring:"${subject}") & mutable()`;
  await hox(one, "describe", changeWith("The id is user_id"), "--mutation");
  await hox(one, "describe", changeWith("The name is a list"), "--mutation");
  await hox(one, "describe", changeWith("Speak of user_id"), "--set-msg-to", "O-A-1/agent-2");
  await terminal(["new", "main", "-m", "Nobody hears it.\n\nHox-Msg-To: O-A-1/agent-77"]);
  const view = worker(begun, "agent-3")?.changeId ?? "";
  const words = await terminal(["log", "--no-graph", "-r", view, "-T", "description"]);
  await terminal(["describe", "-m", words.replace("\n\n", "\n\nALIGN: May the view be empty?\n\n"), view]);
  await terminal(["new", "main"]);

  await one.until(
    () =>
      asked.length === 2 &&
      requestsOf(one, "agent-3").some(({ seen }) => seen.prompt.includes("It may be empty.")),
  );
  isAnswered = true;
  const run = await one.until(
    (now) =>
      ["agent-2", "agent-3"].every((name) => worker(now, name)?.status === "done") &&
      now.decisions.length === 1,
  );
  expect(asked).toHaveLength(2);
  expect(asked).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        from: "O-A-1",
        title: "The id is user_id",
        reason: "Rows have it so.",
        binds: expect.arrayContaining(["agent-2", "agent-3"]),
      }),
      expect.objectContaining({ title: "The name is a list", reason: "The name is a list" }),
    ]),
  );
  expect(run.decisions.map(({ title }) => title)).toEqual(["The id is user_id"]);
  expect(await terminal(["file", "show", "-r", view, "src/contract.txt"])).toContain("user_id");
  expect(requestsOf(one, "agent-2").some(({ seen }) => hasWordsOfUser(seen))).toBe(true);
  const { messages } = one.engine.state();
  expect(messages.filter(({ text }) => text === wordsOfUser)).toHaveLength(1);
  const questions = requestsOf(one, "O-A-1").filter(
    ({ seen }) =>
      seen.prompt.startsWith("[EVENT align-request]") && seen.prompt.includes("May the view be empty?"),
  );
  expect(questions).toHaveLength(1);
  await eventually(() => {
    const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
    expect(notices).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Delivered to agent-2: the message in \w{12}\.$/u),
        expect.stringMatching(/^No active agent matches O-A-1\/agent-77, so/u),
        expect.stringMatching(/^"The id is user_id" of \w{12} now applies to all tasks of O-A-1\.$/u),
        expect.stringMatching(/^"The name is a list" of \w{12} was not applied: One name is enough\.$/u),
      ]),
    );
  });
  await one.execute("run.stop");
});
