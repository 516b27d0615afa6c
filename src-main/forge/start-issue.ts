import type { IssuesView, StartIssueView } from "#shared/contract/commands/start.ts";
import { type IssueReference, parseIssueReference } from "#shared/domain/forge/forge-address.ts";
import { issueFile, issueGoal, issueText } from "#shared/domain/forge/issue-text.ts";
import type { Connected, Forges, Remote } from "./connect.ts";
import { ForgeError, tokenRemedy } from "./forge-error.ts";

/**
 * Reads an issue for a new run.
 *
 * @param remotes of the repository, for an issue without an address
 * @throws ForgeError
 */
export async function readStartIssue(
  forges: Forges,
  remotes: readonly Remote[],
  { address, number }: IssueReference,
): Promise<StartIssueView> {
  const { forge, repository } = await connectedAt(forges, remotes, address);
  const issue = await forge.readIssue(repository, number);
  const { title, url, isOpen } = issue;
  return {
    issue: { number, url, title },
    isOpen,
    goal: issueGoal(issue),
    attachment: {
      name: issueFile(number),
      data: Buffer.from(issueText(issue, repository)).toString("base64"),
    },
  };
}

const connectedAt = (
  forges: Forges,
  remotes: readonly Remote[],
  address: IssueReference["address"],
): Promise<Connected> => (address === null ? forges.ofRemotes(remotes) : forges.ofAddress(address));

/** Nobody has an issue of that number. */
function whereNone(error: unknown): readonly [] {
  if (error instanceof ForgeError && error.kind === "not-found") return [];
  throw error;
}

/** As many as one search answers. */
const maxFound = 50;

/**
 * Issues that a run can begin from: the open ones that fit some words, or the one that a number or URL names, in any state.
 *
 * @param remotes of the repository, for words and numbers
 * @throws ForgeError
 */
export async function findStartIssues(
  forges: Forges,
  remotes: readonly Remote[],
  typed: string,
): Promise<IssuesView> {
  const reference = parseIssueReference(typed);
  try {
    const { forge, repository } = await connectedAt(forges, remotes, reference?.address ?? null);
    const issues =
      reference === null
        ? await forge.searchIssues(repository, typed)
        : await forge.readIssue(repository, reference.number).then((issue) => [issue], whereNone);
    const { path, forge: kind } = repository;
    return {
      ...{ kind: "found", forge: kind, repository: path, hasMore: issues.length >= maxFound },
      issues: issues.map(({ number, title, url, isOpen, labels }) => ({
        number,
        title,
        url,
        isOpen,
        labels,
      })),
      noToken: forge.hasToken ? null : tokenRemedy(kind),
    };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const { message, remedy, kind } = error;
    // A repository without a forge is nothing wrong.
    if (kind === "no-forge") return { kind: "no-forge", reason: message, remedy };
    throw error;
  }
}
