import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FollowedPullRequest, type ForgeUpdate, resumeRounds } from "#shared/domain/forge/follow.ts";
import type { PullRequest } from "#shared/domain/forge/forge-facts.ts";
import { forgeNames, isTerminal } from "#shared/domain/forge/forge-facts.ts";
import {
  newPullRequestText,
  type TextUpdate,
  updatedPullRequestText,
} from "#shared/domain/forge/pull-request-text.ts";
import { block, shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { writeFileAtomically } from "../../config/atomic-file.ts";
import { type Connected, createForges } from "../../forge/connect.ts";
import { createRefusals, followUntilOver, lookAtPullRequest } from "../../forge/follow-pull-requests.ts";
import { systemForgeClock } from "../../forge/forge-http.ts";
import { runPullRequest } from "../../forge/run-pull-request.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { readRunReport } from "../../replay/read-run-report.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { consent } from "../consent.ts";
import { print, printError, printJson } from "../output.ts";
import { stateFolderOf, withRepository } from "../repository.ts";

interface PullRequestOptions extends CommonOptions {
  readonly base?: string;
  readonly closesIssue?: boolean;
  readonly follow?: boolean;
  readonly yes?: boolean;
}

/** Pushes what a run landed and opens a draft for it, or updates the one that is there, after a preview. */
export function pullRequest(run: string, options: PullRequestOptions): Promise<ExitCode> {
  return withRepository(options, async (repository) => {
    const stateFolder = stateFolderOf(repository.root);
    const { report } = await readRunReport(repository, stateFolder, run);
    const { landed } = report;
    if (landed === null || landed.undoneAt !== null)
      throw new CommandError(
        "This run has not landed.",
        "Land it on a branch first, or name another run: hox runs",
      );
    const { bookmark: head } = landed;
    const forges = createForges({ env: process.env, clock: systemForgeClock });
    const connected = await forges.ofRemotes(await repository.remotes());
    const base = options.base ?? connected.repository.defaultBranch;
    if (head === base)
      throw new CommandError(
        `The run landed on ${shownName(head)}, where the pull request would go to.`,
        "Undo it with `hox undo-landing`, then land on a new branch; or give another --base.",
      );
    const { forge } = connected;
    const existing = await forge.findPullRequest(connected.repository, head);
    const content = runPullRequest(report, connected.repository.url, options.closesIssue === true);
    const text: TextUpdate = existing
      ? updatedPullRequestText(existing, content)
      : { ...newPullRequestText(content), kept: [] };
    const remote = connected.remote ?? undefined;
    const preview = await repository.previewPush(head, remote);
    showPreview({ options, connected, existing, head, base, text, moves: preview.moves });
    await consent(options, `${existing ? "Update" : "Open"} this ${existing ? "pull request" : "draft"}?`);
    if (preview.moves.length > 0) await repository.push(head, preview.moves, { actor: "terminal", remote });
    const { title, text: body } = text;
    const opened = existing
      ? await forge.updatePullRequest(connected.repository, existing.number, { title, text: body })
      : await forge.createPullRequest(connected.repository, { title, text: body, head, base });
    if (options.json) printJson({ kind: "pull-request", pullRequest: opened, kept: text.kept });
    else print(`${existing ? "Updated" : "Opened"} #${opened.number}: ${shownLine(opened.url)}`);
    return options.follow ? follow(connected, opened, stateFolder, options) : exitCode.done;
  });
}

interface Preview {
  readonly options: PullRequestOptions;
  readonly connected: Connected;
  readonly existing: PullRequest | null;
  readonly head: string;
  readonly base: string;
  readonly text: TextUpdate;
  readonly moves: Awaited<ReturnType<Repository["previewPush"]>>["moves"];
}

/** Exactly what appears where. */
function showPreview({ options, connected, existing, head, base, text, moves }: Preview): void {
  const { forge, path } = connected.repository;
  if (options.json) {
    printJson({ kind: "preview", forge, path, head, base, number: existing?.number ?? null, moves, ...text });
    return;
  }
  if (moves.length > 0) print(`To ${shownName(connected.remote ?? "")}:`);
  for (const move of moves) print(`  ${shownLine(move)}`);
  const what = existing ? `#${existing.number}` : "A draft pull request";
  print(`${what} on ${forgeNames[forge]}, ${shownName(path)}: ${shownName(head)} → ${shownName(base)}`);
  print(`Title: ${shownLine(text.title)}`);
  for (const line of block(text.text)) print(line);
  if (text.kept.length > 0)
    print(`You edited its ${text.kept.join(" and ")} on ${forgeNames[forge]}; Hox leaves that as it is.`);
}

/** Prints what happens to it, until it is merged or closed. */
async function follow(
  { forge, repository }: Connected,
  { number }: PullRequest,
  stateFolder: string,
  options: PullRequestOptions,
): Promise<ExitCode> {
  const file = join(stateFolder, `pull-request-${repository.forge}-${repository.id}-${number}.json`);
  const keepAlive = setInterval(() => undefined, 60_000);
  const refusals = createRefusals();
  const kept = await readFollowed(file);
  // Whoever follows it again has looked at it: what was held back until then is told.
  let before = kept && resumeRounds(kept);
  let trouble: string | null = null;
  /** Each once until it is over. */
  const report = (text: string | null): void => {
    if (text !== null && text !== trouble) printError(text);
    trouble = text;
  };
  if (!options.json) print("Following it. Press Ctrl-C to stop.");
  try {
    return await followUntilOver({
      clock: systemForgeClock,
      async look(nth) {
        // By its id it is found after it was renamed.
        const now = await forge.findRepository({ id: repository.id });
        const from = { ...{ forge, refusals }, repository: now, now: systemForgeClock.now };
        const { after, updates } = await lookAtPullRequest(from, number, before, nth);
        // Nobody hears of an update before it is kept; where that fails, whoever follows it again finds it again.
        if (JSON.stringify(after) !== JSON.stringify(before))
          await writeFileAtomically(file, JSON.stringify(after));
        before = after;
        for (const update of updates)
          if (options.json) printJson({ ...update, number });
          else print(`#${number} ${updateText(update)}`);
        report(refusals.text());
        if (isTerminal(after.state)) return { over: exitCode.done };
        return updates.length > 0 ? "news" : "quiet";
      },
      async onProblem(error) {
        report(`${error.message} ${error.remedy}`);
        return null;
      },
    });
  } finally {
    clearInterval(keepAlive);
  }
}

async function readFollowed(file: string): Promise<FollowedPullRequest | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function updateText(update: ForgeUpdate): string {
  switch (update.kind) {
    case "merged":
      return `was merged${update.commit === null ? "" : ` as ${update.commit.slice(0, 12)}`}.`;
    case "closed":
      return "was closed without a merge.";
    case "reopened":
      return "was reopened.";
    case "head-moved":
      return `has new commits: ${update.to.slice(0, 12)}.`;
    case "base-changed":
      return `now goes to ${shownName(update.to)}.`;
    case "checks-passed":
      return "passed all checks.";
    case "checks-failed":
      return `failed ${update.failed.map(({ name }) => shownLine(name)).join(", ")}.`;
    case "feedback":
      return `has feedback: ${[...update.threads.map(({ file }) => shownName(file ?? "the whole")), ...update.reviews.map(({ author }) => shownName(author.name))].join(", ")}.`;
    case "approved":
      return `was approved by ${shownName(update.review.author.name)}.`;
    case "conflicts":
      return `conflicts with ${shownName(update.base)}.`;
    case "needs-user":
      return `is not done after ${update.rounds} rounds (${update.why === "feedback" ? "feedback" : "failed checks"}). Look at it.`;
  }
}
