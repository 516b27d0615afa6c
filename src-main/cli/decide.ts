import { answerCommand, answersOf } from "#shared/contract/card-answers.ts";
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import { rootOrchestrator } from "#shared/domain/address.ts";
import { beyondWords } from "#shared/domain/beyond-task.ts";
import { bookmarkNameProblem } from "#shared/domain/bookmark-name.ts";
import { describeBudget } from "#shared/domain/budget.ts";
import { ceremonyLine, ceremonyReasons } from "#shared/domain/ceremony.ts";
import { dependencyWords } from "#shared/domain/dependencies/request.ts";
import { isGreen } from "#shared/domain/fold.ts";
import { type LandingHistory, landingHistories, landingHistoryWords } from "#shared/domain/landing-text.ts";
import type { PlannedTask } from "#shared/domain/plan.ts";
import { checkPlan } from "#shared/domain/plan-check.ts";
import { checksAsToml } from "#shared/domain/project/first-look.ts";
import { fewNames } from "#shared/domain/project/known-failures.ts";
import { shownLine, shownName, shownText } from "#shared/domain/shown-text.ts";
import { ask } from "./ask.ts";
import { type ExitCode, exitCode } from "./command-line.ts";
import { example, extended, many, spentOf } from "./extend-budget.ts";
import type { Gate } from "./gates.ts";
import { block, printError } from "./output.ts";

/** The gate that a card stands at; null: no flag answers it, only a person. */
export function gateOf(item: InboxItem): Gate | null {
  switch (item.kind) {
    case "plan":
      return "plan";
    case "first-look":
      return "first-look";
    // More of the plan stands where the plan does.
    case "amendment":
      return "plan";
    case "mutation":
      return "mutations";
    case "dependency":
      return "dependencies";
    case "pattern":
      return "patterns";
    case "land":
      return "land";
    case "align-request":
      return "questions";
    case "fold":
      return "folds";
    case "budget":
    case "depth":
    case "votes":
    case "protected":
    case "sandbox":
    case "trouble":
      return null;
  }
}

/** The decision that the person made in advance with `--approve`, or null. */
export function decidedBefore(item: InboxItem, approved: readonly Gate[]): CardAnswer | null {
  const gate = gateOf(item);
  if (gate === null) return null;
  // Whoever takes any plan unseen goes on whatever the checks say; what they say is told all the same.
  const opening: readonly Gate[] = gate === "first-look" ? ["first-look", "plan"] : [gate];
  if (!opening.some((one) => approved.includes(one))) return null;
  switch (item.kind) {
    case "align-request": {
      const first = item.options[0];
      return first === undefined ? null : { kind: "answer", text: first };
    }
    case "land": {
      const bookmark = item.suggested ?? item.bookmarks[0];
      return bookmark === undefined ? null : { kind: "approve", bookmark };
    }
    // Work whose checks fail is not what was approved in advance.
    case "fold":
      return isGreen(item.checks) ? { kind: "approve" } : null;
    // A plan that cannot stand is not what was approved in advance; warnings are shown and forbid nothing.
    case "plan":
      return checkPlan(item.plan).some((problem) => problem.severity === "fatal")
        ? null
        : { kind: "approve" };
    default:
      return { kind: "approve" };
  }
}

/** What the shell is told when a card waits and nobody is there. */
export const exitFor = (item: InboxItem): ExitCode =>
  item.kind === "budget" ? exitCode.budget : exitCode.waits;

/** What was found before the plan, and what each answer does. */
function firstLookLines(item: Extract<InboxItem, { kind: "first-look" }>): readonly string[] {
  return [
    `First look at ${item.commitId.slice(0, 12)}: ${item.troubles.map((one) => troubleWords[one]).join("; ")}`,
    ...item.facts.map((line) => `  ${shownLine(line)}`),
    ...item.checks.flatMap((one) => [
      `  ${shownLine(one.name)}: ${one.outcome}${one.outcome === "missing" ? "" : `, ${(one.ms / 1000).toFixed(1)} s`}${one.isSlow ? " (slow)" : ""} (${shownLine(one.command)}; ${shownLine(one.reason)})`,
      ...(one.failureCount === null
        ? []
        : [`    ${one.failureCount} failed: ${shownLine(fewNames(one.failures ?? []))}`]),
      ...(one.remedy === null ? [] : [`    ${shownLine(one.remedy)}`]),
    ]),
    ...item.setUpFailures.map((text) => `  set-up failed: ${shownLine(text)}`),
    ...(item.checks.length === 0
      ? ["  Nothing says how this project is checked: what the agents write would land unchecked."]
      : ["  Gone on with, only what gets worse counts; agents are told what is old."]),
    ...(item.proposed.fast.length + item.proposed.slow.length === 0
      ? []
      : ["  For .hox/config.toml:", ...checksAsToml(item.proposed).map((line) => `    ${shownLine(line)}`)]),
  ];
}

/** What is asked for, what would be run, and what an answer makes of the next time. */
function dependencyLines(item: Extract<InboxItem, { kind: "dependency" }>): readonly string[] {
  return [
    `${item.from} asks for ${shownLine(dependencyWords(item))} (${item.manager}${item.dev ? ", for developing" : ""}${item.folder === "" ? "" : `, in ${shownName(item.folder)}`})`,
    ...(item.others.length > 0 ? [`  so do ${item.others.join(", ")}`] : []),
    ...block(item.why),
    `  runs: ${shownLine(item.command)}`,
    item.isHeld
      ? `  may reach: ${item.hosts.map(shownLine).join(", ")} (${shownLine(item.hostsFrom)})`
      : "  without a sandbox: it can reach and change everything that you can",
    `  ${shownLine(item.scripts)}`,
    `  changes below everybody: ${item.files.map(shownName).join(", ")}`,
    `  with y rule: allow = ["${shownLine(item.rule)}"] in [dependencies] of .hox/config.toml`,
  ];
}

const troubleWords: Readonly<Record<Extract<InboxItem, { kind: "first-look" }>["troubles"][number], string>> =
  {
    empty: "no check that can run was found",
    red: "something is red already",
    slow: "something takes long",
  };

const foldReasons: Readonly<Record<Extract<InboxItem, { kind: "fold" }>["why"], string>> = {
  "person-reviews": "you review finished work",
  "passed-on": "its parent leaves it to you",
  "too-many-rounds": "it was sent back too often",
};

/** A card as text. Everything in it is untrusted: what is part of a line begins no other, longer texts are set apart. */
export function cardText(item: InboxItem): string {
  return shownText(lines(item).join("\n"));
}

function lines(item: InboxItem): readonly string[] {
  switch (item.kind) {
    case "plan":
      return [
        `Plan${item.orchestrator === undefined || item.orchestrator === rootOrchestrator ? "" : ` of ${item.orchestrator}`}: ${shownLine(item.plan.summary)}`,
        `  orchestrators: ${item.plan.orchestrators.count} (${shownLine(item.plan.orchestrators.reason)})`,
        ...(item.ceremony?.contracts.value === "none"
          ? []
          : [`  contracts: ${shownLine(item.plan.contracts.title)}`]),
        ...item.plan.tasks.map(
          (task) =>
            `  ${task.phase}. ${shownLine(task.title)} [${task.priority}${ownOrchestrator(task)}] ${task.files.map(shownName).join(" ")}`,
        ),
        ...(item.plan.integration ? [`  then: ${shownLine(item.plan.integration.title)}`] : []),
        ...(item.ceremony
          ? [
              `  beside the agents: ${ceremonyLine(item.ceremony)}`,
              ...ceremonyReasons(item.ceremony).map((line) => `    ${shownLine(line)}`),
              "    (otherwise, from another terminal: hox plan ceremony <part> <value>)",
            ]
          : []),
        `  may spend: ${describeBudget(item.plan.budget) || "no limit is set"}`,
        ...item.problems.map((problem) => `  problem: ${shownLine(problem)}`),
      ];
    case "depth":
      return [
        `${item.from} wants orchestrators on level ${item.level}; ${item.allowed} levels need nobody's yes`,
        `  ${shownLine(item.reason)}`,
        ...item.tasks.map((task) => `  for: ${shownLine(task.title)}`),
      ];
    case "amendment":
      return [
        `${item.from} wants to add ${item.tasks.length === 1 ? "a task" : `${item.tasks.length} tasks`} to its plan`,
        `  ${shownLine(item.reason)}`,
        ...item.problems.map((problem) => `  problem: ${shownLine(problem)}`),
        ...item.tasks.map(
          (task) =>
            `  ${shownLine(task.title)} (${task.delegate ? "an orchestrator" : "an agent"}): ${task.files.map(shownName).join(" ")}`,
        ),
      ];
    case "align-request":
      return [
        `${item.from} asks: ${shownLine(item.question)}`,
        ...item.options.map((option, index) => `  ${index + 1}. ${shownLine(option)}`),
      ];
    case "mutation":
      return [
        `${item.from} decides: ${shownLine(item.title)}`,
        `  ${shownLine(item.reason)}`,
        `  binds ${item.binds.map(shownName).join(", ") || "nobody yet"}`,
        ...item.conflicts.map(
          (conflict) => `  will conflict: ${conflict.worker} in ${conflict.files.map(shownName).join(", ")}`,
        ),
        ...block(item.diff),
      ];
    case "budget":
      return [
        `The budget of ${item.worker ?? "the run"} is spent: ${spentOf(item)}. The work is saved.`,
        item.worker === null
          ? "  Nothing is sent until you decide; without more the run stops."
          : `  Everyone else goes on; without more ${item.worker} stays paused.`,
      ];
    case "votes":
      return [
        `The validators do not agree: ${item.validation.verdict}`,
        ...item.validation.seats.map((seat) => `  ${seat.seat} ${seat.vote}: ${shownLine(seat.reason)}`),
      ];
    case "fold":
      return [
        `${item.from} is done: ${shownLine(item.title)} (round ${item.round}, ${foldReasons[item.why]})`,
        `  ${shownLine(item.summary)}`,
        ...item.checks.map((check) => `  ${check.outcome}: ${shownLine(check.name)}`),
        ...(item.beyond ?? []).map((one) => `  beyond its task: ${shownLine(beyondWords(one))}`),
        ...item.voices.map(
          (voice) => `  round ${voice.round}, ${voice.by}: ${voice.verdict} ${shownLine(voice.words)}`,
        ),
        ...block(item.diff),
      ];
    case "pattern":
      return [
        `A pattern to keep: ${shownLine(item.name)} (${shownLine(item.category)}, confidence ${item.confidence})`,
        ...item.gates.map(
          (gate) =>
            `  ${gate.passed ? "passed" : "failed"}: ${shownLine(gate.name)} ${shownLine(gate.detail)}`,
        ),
        ...block(item.markdown),
      ];
    case "land":
      return [
        `Land ${item.commitId.slice(0, 12)} on ${item.suggested === null ? "a branch" : shownName(item.suggested)}${item.suggested !== null && item.suggested === item.standsOn ? ", where you stand" : ""}, ${landingHistoryWords[item.history ?? "changes"]}`,
        ...broughtLines(item),
        ...(item.inTheWay ? [`  in the way: ${shownLine(item.inTheWay)}`] : []),
        ...item.diffStat.map((file) => `  ${shownName(file.path)} +${file.added} -${file.removed}`),
        ...(item.protectedPaths ?? []).map((path) => `  protected: ${shownName(path)}`),
        ...(item.isUnchecked === true ? ["  unchecked: no check ran on it"] : []),
        ...(item.knownFailures ?? []).map((name) => `  fails as before the run: ${shownLine(name)}`),
        `  bookmarks: ${item.bookmarks.map(shownName).join(", ")}${item.suggested ? ` (suggested: ${shownName(item.suggested)})` : ""}`,
      ];
    case "protected":
      return [
        `${item.worker} changed protected files; that was taken out of its change. Allow it as it stands here?`,
        ...item.paths.map((path) => `  ${shownName(path)}`),
        ...block(item.diff),
      ];
    case "dependency":
      return dependencyLines(item);
    case "first-look":
      return firstLookLines(item);
    case "sandbox":
      return [`Commands of agents would run without a sandbox: ${shownLine(item.description)}`];
    case "trouble":
      return [
        `${item.worker ?? "The run"}: ${shownLine(item.title)}`,
        ...block(item.detail),
        `  ${shownLine(item.remedy)}`,
      ];
  }
}

/** What answers a card from another terminal, one line for each answer; `number` as `hox answer` counts. */
export function answerLines(item: InboxItem, number: number): readonly string[] {
  const lines = answersOf(item).map((one) => [answerCommand(number, one), one.does] as const);
  const width = Math.max(...lines.map(([command]) => command.length));
  return lines.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`);
}

const ownOrchestrator = ({ delegate, budget }: PlannedTask): string =>
  delegate === true
    ? [", an orchestrator of its own", ...(budget ? [describeBudget(budget)] : [])].join(", ")
    : "";

/** Asks until the answer can be understood. */
export async function decideAtTerminal(item: InboxItem, signal: AbortSignal): Promise<CardAnswer> {
  for (;;) {
    const answer = (await ask(`${question(item)} `, signal)).trim();
    const decision = understand(item, answer);
    if (decision) return decision;
    printError(whyNot(item, answer));
  }
}

function question(item: InboxItem): string {
  switch (item.kind) {
    case "align-request":
      return item.options.length > 0 ? "Number, or your own words:" : "Your answer:";
    case "land":
      return `Branch${item.suggested ? ` [${item.suggested}]` : ""}, then ${landingHistories.join(", ")} if you like; or n:`;
    case "budget":
      return `Extend by how ${many(item)}? (none: no limit, n: no)`;
    case "trouble":
      return item.task === true
        ? `Try again? [y, y and a word to ${item.worker}, pause, or abandon]`
        : "Try again? [y, or stop]";
    case "first-look":
      return "Go on? [y, out <check>, use <command>, again, or stop; with `and write` also into .hox/config.toml]";
    case "fold":
      return "Accept it? [y, what has to change, or abandon]";
    case "dependency":
      return "Install it? [y, y run, y rule, n, or why not]";
    default:
      return "Approve? [y/n, or why not]";
  }
}

/** Why an answer was not understood. */
export function whyNot(item: InboxItem, answer: string): string {
  if (answer === "") return "An answer is needed; Ctrl-C leaves the question for later.";
  if (item.kind === "land") return bookmarkNameProblem(answer) ?? "That names no bookmark.";
  if (item.kind === "first-look")
    return "That is no answer: y goes on and counts only what gets worse, `out lint, test` leaves checks out, `use make check; fast make lint` gives others, again looks again, stop ends the run. `y and write` also names the checks in .hox/config.toml.";
  if (item.kind === "fold") return "Say what has to change: the agent reads it.";
  if (item.kind === "trouble")
    return item.task === true
      ? `That is no answer: y tries again, "y use the other file" with a word to ${item.worker}, pause lets it wait, abandon gives its task up. \`hox stop\` stops the run.`
      : "That is no answer: y tries again, stop ends the run. Ctrl-C leaves the question for later.";
  return item.kind === "budget"
    ? `That is no answer: say how ${many(item)} more, such as ${example(item)}; none takes the limit away, n declines.`
    : "That is no answer.";
}

/** What an answer at the terminal means for a card; null when it means nothing. */
export function understand(item: InboxItem, answer: string): CardAnswer | null {
  const no = /^n(o)?$/iu.test(answer);
  const yes = /^y(es)?$/iu.test(answer);
  switch (item.kind) {
    case "align-request": {
      const option = /^\d+$/u.test(answer) ? item.options[Number(answer) - 1] : undefined;
      const text = option ?? answer;
      return text === "" ? null : { kind: "answer", text };
    }
    case "land": {
      if (no) return { kind: "reject", reason: "Not now." };
      const { name, history } = landingWords(answer);
      const bookmark = name === "" || /^y(es)?$/iu.test(name) ? item.suggested : name;
      if (bookmark !== null && !item.bookmarks.includes(bookmark) && bookmarkNameProblem(bookmark))
        return null;
      return bookmark === null ? null : { kind: "approve", bookmark, ...(history ? { history } : {}) };
    }
    case "budget":
      return no ? { kind: "reject", reason: "Not extended." } : extended(item, answer);
    case "first-look":
      return toFirstLook(item, answer);
    case "fold":
      if (answer === "" || no) return null;
      if (yes) return { kind: "approve" };
      return answer === "abandon" ? { kind: "abandon" } : { kind: "reject", reason: answer };
    case "trouble":
      return toTrouble(item.task === true, answer);
    case "dependency":
      return toDependency(answer);
    default:
      if (answer === "") return null;
      if (yes) return { kind: "approve" };
      return { kind: "reject", reason: no ? "Rejected at the terminal." : answer };
  }
}

/** `y`, `y run`, `y rule`, `n`, or why not. */
function toDependency(answer: string): CardAnswer | null {
  if (answer === "") return null;
  const [, yes, remember] = /^(y(?:es)?)(?:[ ,]+(run|rule))?$/iu.exec(answer) ?? [];
  if (yes === undefined) return { kind: "reject", reason: /^n(o)?$/iu.test(answer) ? "" : answer };
  return remember === undefined
    ? { kind: "approve" }
    : { kind: "approve", remember: remember.toLowerCase() === "run" ? "run" : "rule" };
}

/** `y`, `out <names>`, `use <commands>`, each perhaps with `and write`; `again`; `stop`. */
function toFirstLook(item: Extract<InboxItem, { kind: "first-look" }>, answer: string): CardAnswer | null {
  const [, words = "", write] = /^(.*?)(\s+and\s+write)?$/isu.exec(answer.trim()) ?? [];
  const also = write === undefined ? {} : { writeChecks: true };
  if (/^y(es)?$/iu.test(words)) return { kind: "approve", ...also };
  if (write === undefined && /^again$/iu.test(words)) return { kind: "retry" };
  if (write === undefined && /^stop$/iu.test(words))
    return { kind: "reject", reason: "Stopped at the terminal." };
  const [, verb = "", rest = ""] = /^(out|use)\s+(.+)$/isu.exec(words) ?? [];
  if (verb.toLowerCase() === "out") {
    const named = rest.split(",").map((name) => name.trim());
    const commands = item.checks.flatMap(({ name, command }) =>
      named.includes(name) || named.includes(command) ? [command] : [],
    );
    return commands.length === named.length ? { kind: "leave-out", commands, ...also } : null;
  }
  if (verb.toLowerCase() !== "use") return null;
  const given = rest
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const isFast = /^fast\s+/iu;
  return {
    kind: "use-checks",
    fast: given.filter((one) => isFast.test(one)).map((one) => one.replace(isFast, "")),
    slow: given.filter((one) => !isFast.test(one)),
    ...also,
  };
}

/** A branch, and behind it what lands: `main tasks`. A branch of such a name is one where nothing stands before it. */
function landingWords(answer: string): { readonly name: string; readonly history?: LandingHistory } {
  const [, name = "", word = ""] = /^(.*?)\s+(\S+)$/u.exec(answer) ?? [];
  const history = landingHistories.find((one) => one === word);
  return history === undefined ? { name: answer } : { name: name.trim(), history };
}

/** What came to the branch since the run began, and what the checks say to both together. */
function broughtLines({ brought }: Extract<InboxItem, { kind: "land" }>): readonly string[] {
  if (!brought) return [];
  const { branch, commits, commitCount, checks } = brought;
  return [
    `  ${shownName(branch)} got ${commitCount} ${commitCount === 1 ? "commit" : "commits"} meanwhile; the result was brought onto ${commitCount === 1 ? "it" : "them"}`,
    ...commits.map((title) => `    ${shownLine(title)}`),
    ...checks.map((check) => `  ${check.outcome} with that: ${shownLine(check.name)}`),
  ];
}

/** Only what is meant for certain: a word that is no answer must not end anything. */
function toTrouble(ofTask: boolean, answer: string): CardAnswer | null {
  const [, retry, words = ""] = /^(y(?:es)?)(?:[ ,:]+(.+))?$/isu.exec(answer) ?? [];
  if (retry !== undefined && (ofTask || words === ""))
    return words === "" ? { kind: "retry" } : { kind: "retry", words };
  const word = answer.toLowerCase();
  if (!ofTask) return word === "stop" ? { kind: "reject", reason: "Stopped at the terminal." } : null;
  return word === "pause" ? { kind: "hold" } : word === "abandon" ? { kind: "abandon" } : null;
}
