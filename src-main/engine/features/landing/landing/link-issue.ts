/** The issue that a run began from hears of its pull requests, if the user wants that. */
import { parseIssueReference } from "#shared/domain/forge/forge-address.ts";
import { issueComment } from "#shared/domain/forge/issue-text.ts";
import type { Publication } from "#shared/domain/landing/publication.ts";
import { ForgeError, isTemporary } from "../../../../forge/forge-error.ts";
import type { Forge, InRepository } from "../../../../forge/forge-interface.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";

/** A host's clock may differ from the forge's. */
const clockMs = 86_400_000;

/**
 * Comments once. What the forge refuses for good is reported, and nothing waits for it.
 * @throws ForgeError that passes by itself
 */
export async function linkIssue(run: Run, forge: Forge, publication: Publication): Promise<void> {
  const { issue } = run.row.input;
  if (issue?.isLinked !== true || publication.isIssueLinked) return;
  const links = publication.parts.flatMap(({ pullRequest }) => pullRequest?.url ?? []);
  try {
    const at = await issueAt(run, forge, publication, issue.url);
    await at.forge.commentOnIssue(at.repository, issue.number, {
      ...{ text: issueComment(links), run: run.id, since: run.row.startedAt - clockMs },
    });
  } catch (error) {
    if (!(error instanceof ForgeError) || isTemporary(error)) throw error;
    warn(
      run,
      `Hox could not comment on issue #${issue.number}: ${error.message}`,
      `The pull request is open. ${error.remedy}`,
    );
  }
  run.append({ kind: "IssueLinked" });
}

/** It may be of another repository than the pull requests. */
async function issueAt(
  run: Run,
  forge: Forge,
  { repository }: Publication,
  url: string,
): Promise<{ readonly forge: Forge; readonly repository: InRepository }> {
  if (repository.url === undefined || url.startsWith(`${repository.url}/`)) return { forge, repository };
  const address = parseIssueReference(url)?.address ?? null;
  if (address === null || run.forges === null)
    throw new ForgeError("not-found", "Its address leads to no forge.", "Comment on it yourself.");
  return run.forges.ofAddress(address);
}
