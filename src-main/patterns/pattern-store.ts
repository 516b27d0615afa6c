import { startOf } from "#shared/domain/text/cut-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { gateText } from "./pattern-gate.ts";
import {
  patternHash,
  patternPath,
  readPattern,
  renderPattern,
  splitFrontMatter,
  titleOf,
} from "./pattern-text.ts";
import {
  type GateResult,
  type Pattern,
  type PatternApproval,
  type PatternProposal,
  type PatternStore,
  patternBookmark,
  type RecordedRun,
} from "./patterns-interface.ts";

/** A pattern that may not enter the branch, with every gate that said no. */
export class PatternRefused extends Error {
  override readonly name = "PatternRefused";
  readonly gates: readonly GateResult[];
  constructor(message: string, gates: readonly GateResult[] = []) {
    super(message);
    this.gates = gates;
  }
}

/** The branch `hox-patterns` holds nothing but patterns; we never write to one that holds other files. */
export const createPatternStore = (repository: Repository): PatternStore => ({
  load: () => loadPatterns(repository),
  gate: (proposal, runs) => gateProposal(repository, proposal, runs),
  approve: (proposal, runs, approval) => approvePattern(repository, proposal, runs, approval),
});

async function headOf(repository: Repository): Promise<Change | null> {
  const found = (await repository.refs()).bookmarks[patternBookmark] ?? [];
  if (found.length > 1) {
    throw new PatternRefused(
      `The bookmark ${patternBookmark} points at ${found.length} changes. Choose one: jj bookmark set ${patternBookmark} -r <change>.`,
    );
  }
  const [commit] = found;
  return commit === undefined ? null : repository.change(commit);
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function loadPatterns(repository: Repository): ReturnType<PatternStore["load"]> {
  const branch = await headOf(repository);
  if (!branch) return { patterns: [], problems: [] };
  const paths = await repository.listFiles(branch.commitId);
  const patterns: Pattern[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    const read = readPattern(path, decode(await repository.readFile(branch.commitId, path)));
    if ("problem" in read)
      problems.push(`${read.problem} It is not used; repair it on the bookmark ${patternBookmark}.`);
    else patterns.push(read);
  }
  patterns.sort((a, b) => b.confidence - a.confidence || (a.path < b.path ? -1 : 1));
  return { patterns, problems };
}

async function gateProposal(
  repository: Repository,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
): Promise<readonly GateResult[]> {
  const branch = await headOf(repository);
  const path = patternPath(proposal.category, proposal.name);
  const exists = branch !== null && (await repository.listFiles(branch.commitId)).includes(path);
  const same = exists && decode(await repository.readFile(branch.commitId, path)) === renderPattern(proposal);
  return [
    ...gateText(proposal, runs),
    {
      name: "new",
      passed: !same,
      detail: same
        ? `${path} says exactly this already.`
        : exists
          ? `Replaces an earlier ${path}.`
          : `${path} is new.`,
    },
  ];
}

async function approvePattern(
  repository: Repository,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
  approval: PatternApproval,
): ReturnType<PatternStore["approve"]> {
  const path = patternPath(proposal.category, proposal.name);
  refuseOtherApproval(path, proposal, approval);
  const mark = `Hox-Approval: ${approval.nonce}`;
  const by = { actor: "hox", request: approval.nonce };
  // A commit with this nonce was made before a crash: only the bookmark may be missing.
  const made = await repository.changeWithLine(mark);
  const branch = await headOf(repository);
  if (made) {
    const stands = branch && (await repository.isAncestor(made.commitId, branch.commitId));
    if (!stands) await repository.setBookmark(patternBookmark, made.commitId, by);
    return { changeId: made.changeId, commitId: made.commitId, path };
  }
  const failed = (await gateProposal(repository, proposal, runs)).filter((one) => !one.passed);
  if (failed.length > 0) {
    throw new PatternRefused(
      `${path} did not pass: ${failed.map((one) => `${one.name} (${one.detail})`).join(" ")}`,
      failed,
    );
  }
  if (branch) await refuseForeignFiles(repository, branch);
  const title = startOf(titleOf(splitFrontMatter(proposal.markdown).body, proposal.name), 100);
  const written = await repository.newChange({
    parents: [branch?.commitId ?? "root()"],
    description: `Learn: ${title}\n\nHox-Kind: pattern\nHox-Run: ${proposal.run}\n${mark}\n`,
    files: { [path]: renderPattern(proposal) },
    ...by,
  });
  await repository.setBookmark(patternBookmark, written.commitId, by);
  return { changeId: written.changeId, commitId: written.commitId, path };
}

/** An approval counts for the text that was shown, and once. */
function refuseOtherApproval(path: string, proposal: PatternProposal, approval: PatternApproval): void {
  if (approval.shown !== patternHash(proposal)) {
    throw new PatternRefused(
      `The approval of ${path} is for another text than the one that would be written. Look at it again.`,
    );
  }
  if (!/^[\w-]{8,200}$/u.test(approval.nonce))
    throw new PatternRefused(`The approval of ${path} has no valid nonce.`);
}

async function refuseForeignFiles(repository: Repository, branch: Change): Promise<void> {
  const foreign = (await repository.listFiles(branch.commitId)).find((file) => !file.startsWith("patterns/"));
  if (foreign) {
    throw new PatternRefused(
      `The bookmark ${patternBookmark} holds ${foreign}, so it is not the branch of patterns. Rename that bookmark first.`,
    );
  }
}
