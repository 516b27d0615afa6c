import type { RunReportView } from "#shared/contract/commands/report.ts";
import { issueReference } from "#shared/domain/forge/issue-text.ts";
import type { PullRequestReport } from "#shared/domain/forge/pull-request-text.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";

/**
 * What a pull request says of a run.
 * @param repository address of the repository that it is in
 * @param closesIssue whether merging it is to close the issue that the run began from
 */
export function runPullRequest(
  report: RunReportView,
  repository: string,
  closesIssue: boolean,
): PullRequestReport {
  const { goal, issue, result, votes } = report;
  const [only, ...others] = result.commits;
  return {
    title: issue?.title ?? (only !== undefined && others.length === 0 ? only : (goal.split("\n")[0] ?? "")),
    goal: issue === null ? goal : issue.title,
    summary: result.note ?? "",
    decisions: report.decisions,
    // The oldest first, as they are read.
    tasks: result.commits.toReversed(),
    checks: report.checks.map(({ name, outcome }) => ({ name, outcome: outcomeText[outcome] })),
    votes:
      votes === null
        ? null
        : {
            approved: votes.seats.filter(({ vote }) => vote === "approve").length,
            seats: votes.seats.length,
          },
    microDollars: report.rehearsal === null ? report.microDollars : null,
    open: [
      ...report.missing,
      ...report.left.map(({ who, text }) => `${who === null ? "" : `${who}: `}${text}`),
    ],
    unreviewed: votes === null ? result.files.map(({ path }) => path) : [],
    issue: issue === null ? null : { reference: issueReference(issue, repository), closes: closesIssue },
    part: null,
  };
}
