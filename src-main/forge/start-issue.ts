import type { IssueReference } from "#shared/domain/forge/forge-address.ts";
import { issueFile, issueGoal, issueText } from "#shared/domain/forge/issue-text.ts";
import type { createForges, Remote } from "./connect.ts";

/** What a run is given that begins from an issue. */
export interface StartIssue {
  readonly issue: { readonly number: number; readonly url: string; readonly title: string };
  readonly isOpen: boolean;
  readonly goal: string;
  /** Its text and comments, quoted, as a file that agents can read. */
  readonly attachment: { readonly name: string; readonly data: string };
}

/**
 * Reads an issue for a new run.
 *
 * @param remotes of the repository, for an issue without an address
 * @throws ForgeError
 */
export async function readStartIssue(
  forges: ReturnType<typeof createForges>,
  remotes: readonly Remote[],
  { address, number }: IssueReference,
): Promise<StartIssue> {
  const { forge, repository } = await (address === null
    ? forges.ofRemotes(remotes)
    : forges.ofAddress(address));
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
