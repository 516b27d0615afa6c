import { createSerial, type Serial } from "#shared/async/serial.ts";
import type { PatternFile } from "#shared/domain/patterns/pattern.ts";
import { type PatternRecord, versionInForce } from "#shared/domain/patterns/pattern-record.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { gateText } from "./pattern-gate.ts";
import {
  patternHash,
  patternId,
  patternPath,
  placeOfId,
  readPattern,
  renderPattern,
  splitFrontMatter,
  titleOf,
} from "./pattern-text.ts";
import {
  type BranchPatterns,
  type GateResult,
  type PatternApproval,
  type PatternProposal,
  type PatternRecordKeeper,
  PatternRefused,
  type PatternStore,
  type PulledPatterns,
  patternBookmark,
  type RecordedRun,
} from "./patterns-interface.ts";

export interface StoreParts {
  readonly repository: Repository;
  /** What people decided here. */
  readonly journal: PatternRecordKeeper;
  readonly now: () => number;
}

/** The branch `hox-patterns` holds nothing but patterns; we never write to one that holds other files. */
export const createPatternStore = (parts: StoreParts): PatternStore => ({
  branch: () => readBranchPatterns(parts),
  async trusted() {
    const { files, problems } = await readBranchPatterns(parts);
    const patterns = files
      .flatMap(({ pattern, version }) => (version === null ? [] : [{ ...pattern, version }]))
      .toSorted((a, b) => b.confidence - a.confidence || (a.path < b.path ? -1 : 1));
    const strangers = files.filter(({ version }) => version === null).map(({ id }) => id);
    return {
      patterns,
      problems: [
        ...problems,
        ...(strangers.length === 0
          ? []
          : [
              `Not approved here, so agents don't get it: ${strangers.join(", ")}. Review it with \`hox patterns\` and approve it, or ignore it.`,
            ]),
      ],
    };
  },
  gate: (proposal, runs) => gateProposal(parts, proposal, runs),
  approve: (proposal, runs, approval) =>
    oneByOne(parts, () => approvePattern(parts, proposal, runs, approval)),
  retire: (id, why) => oneByOne(parts, () => retirePattern(parts, id, why)),
  restore: (id, version) => oneByOne(parts, () => restorePattern(parts, id, version)),
  pull: () =>
    oneByOne(parts, () =>
      pullPatterns(parts.repository, async () => (await readBranchPatterns(parts)).files),
    ),
});

const by = { actor: "hox" } as const;

/**
 * Fetches patterns that others pushed. They stay untrusted until they are approved here.
 *
 * @param trusted what is on the branch, with its active patterns
 */
async function pullPatterns(
  repository: Repository,
  branchFiles: () => Promise<readonly (BranchFile & { readonly version: number | null })[]>,
): Promise<PulledPatterns> {
  const own = await onlyCommit(repository);
  const before = own === null ? [] : await branchFiles();
  const { remote } = await repository.fetchBranch(patternBookmark);
  if (remote === null)
    throw new PatternRefused("This repository has no remote.", "Add one: jj git remote add origin <url>");
  const theirs = await repository.remoteBranch(remote, patternBookmark);
  if (theirs === null)
    throw new PatternRefused(
      `${remote} has no branch ${patternBookmark}.`,
      "Push patterns first: hox patterns push",
    );
  await refuseForeignFiles(repository, theirs);
  const kept = await bringTogether(repository, own, theirs.commitId);
  const after = await branchFiles();
  const fresh = after.filter(
    (file) => file.version === null && before.find(({ id }) => id === file.id)?.text !== file.text,
  );
  return {
    remote,
    received: fresh.map(({ id }) => id),
    replaced: fresh
      .filter(({ id }) => before.some((file) => file.id === id && file.version !== null))
      .map(({ id }) => id),
    kept,
  };
}

/** The current head of the patterns branch. */
type BranchHead = Pick<Change, "commitId">;

/** Of everything that others may have put there. */
const [maxFiles, maxFileLength] = [500, 20_000] as const;

async function headOf(repository: Repository): Promise<Change | null> {
  const found = (await repository.refs()).bookmarks[patternBookmark] ?? [];
  if (found.length > 1) {
    throw new PatternRefused(
      `The bookmark ${patternBookmark} points at ${found.length} changes.`,
      `Choose one: jj bookmark set ${patternBookmark} -r <change>.`,
    );
  }
  const [commit] = found;
  return commit === undefined ? null : repository.change(commit);
}

interface BranchFile {
  readonly id: string;
  readonly text: string;
  readonly pattern: PatternFile;
}

/** Every pattern of the branch, and the problems of other files, for the user. */
async function readBranch(repository: Repository): Promise<{
  readonly commit: string | null;
  readonly files: readonly BranchFile[];
  readonly problems: readonly string[];
}> {
  const branch = await headOf(repository);
  if (!branch) return { commit: null, files: [], problems: [] };
  return { commit: branch.commitId, ...(await readFiles(repository, branch.commitId)) };
}

/** @param commit of any branch of patterns */
async function readFiles(
  repository: Repository,
  commit: string,
): Promise<{ readonly files: readonly BranchFile[]; readonly problems: readonly string[] }> {
  const files: BranchFile[] = [];
  const problems: string[] = [];
  const paths = await repository.listFiles(commit);
  for (const path of paths.slice(0, maxFiles)) {
    const bytes = await repository.readFile(commit, path);
    const text = bytes.length > maxFileLength ? null : new TextDecoder().decode(bytes);
    const read =
      text === null ? { problem: `${path} is longer than ${maxFileLength} bytes.` } : readPattern(path, text);
    if ("problem" in read)
      problems.push(`${read.problem} Hox ignores it; fix it on the bookmark ${patternBookmark}.`);
    else if (text !== null) files.push({ id: read.id, text, pattern: read });
  }
  if (paths.length > maxFiles)
    problems.push(`${patternBookmark} has ${paths.length} files; Hox reads the first ${maxFiles}.`);
  return { files, problems };
}

async function refuseForeignFiles(repository: Repository, branch: BranchHead): Promise<void> {
  const foreign = (await repository.listFiles(branch.commitId)).find((file) => !file.startsWith("patterns/"));
  if (foreign) {
    throw new PatternRefused(
      `The bookmark ${patternBookmark} contains ${foreign}, so it is not the patterns branch.`,
      "Rename that bookmark first.",
    );
  }
}

/** The branch's commit before the fetch, which moves a tracking bookmark. */
async function onlyCommit(repository: Repository): Promise<string | null> {
  const found = (await repository.refs()).bookmarks[patternBookmark] ?? [];
  if (found.length < 2) return found[0] ?? null;
  // Of the two that a fetch by hand left, the one that no remote holds is this repository's.
  for (const commit of found) if ((await repository.pushedTo(commit)) === null) return commit;
  return found[0] ?? null;
}

/** @returns ids of what both sides changed: what was here stays */
async function bringTogether(
  repository: Repository,
  own: string | null,
  theirs: string,
): Promise<readonly string[]> {
  const set = (commit: string) =>
    repository.setBookmark(patternBookmark, commit, { ...by, allowBackwards: true });
  if (own === null || own === theirs || (await repository.isAncestor(own, theirs))) {
    await set(theirs);
    return [];
  }
  if (await repository.isAncestor(theirs, own)) {
    await set(own);
    return [];
  }
  const parents = [own, theirs];
  const description = "Bring patterns of both sides together\n\nHox-Kind: pattern\n";
  const merged = await repository.newChange({ parents, description, ...by });
  const met = (await repository.conflictedFiles(merged.commitId)).map(({ path }) => path);
  if (met.length === 0) {
    await set(merged.commitId);
    return [];
  }
  await repository.abandon(merged.changeId, by);
  const ours = (await readFiles(repository, own)).files;
  const files = Object.fromEntries(
    met.map((path) => [path, ours.find(({ pattern }) => pattern.path === path)?.text ?? null]),
  );
  await set((await repository.newChange({ parents, description, files, ...by })).commitId);
  return ours
    .filter(({ pattern }) => met.includes(patternPath(pattern.category, pattern.name)))
    .map(({ id }) => id);
}

const serials = new WeakMap<PatternRecordKeeper, Serial>();

/** Concurrent writes would have the same parent, and one of them would be lost. */
function oneByOne<T>({ journal }: StoreParts, work: () => Promise<T>): Promise<T> {
  const serial = serials.get(journal) ?? createSerial();
  serials.set(journal, serial);
  return serial.run("branch", work);
}

async function readBranchPatterns({ repository, journal }: StoreParts): Promise<BranchPatterns> {
  const { commit, files, problems } = await readBranch(repository);
  const records = journal.patternRecords();
  return {
    commit,
    problems,
    files: files.map((file) => {
      const inForce = versionInForce(records[file.id]);
      return { ...file, version: inForce?.text === file.text ? inForce.version : null };
    }),
  };
}

async function gateProposal(
  parts: StoreParts,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
): Promise<readonly GateResult[]> {
  const { files } = await readBranchPatterns(parts);
  const id = patternId(proposal);
  const there = files.find((file) => file.id === id);
  const same = there?.version != null && there.text === renderPattern(proposal);
  const elsewhere = files.find(
    ({ pattern }) => pattern.name === proposal.name && pattern.category !== proposal.category,
  );
  const versions = parts.journal.patternRecords()[id]?.versions.length ?? 0;
  return [
    ...gateText(proposal, runs),
    {
      name: "not a duplicate",
      passed: !same && !elsewhere,
      detail: same
        ? `${patternPath(proposal.category, proposal.name)} already has exactly this text.`
        : elsewhere
          ? `${elsewhere.id} already has that name. Retire it first, or choose another name.`
          : versions === 0
            ? "No other pattern has this name."
            : `Version ${versions + 1} of ${id}.`,
    },
  ];
}

async function approvePattern(
  parts: StoreParts,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
  approval: PatternApproval,
): ReturnType<PatternStore["approve"]> {
  const { journal } = parts;
  const path = patternPath(proposal.category, proposal.name);
  const id = patternId(proposal);
  refuseOtherApproval(path, proposal, approval);
  const text = renderPattern(proposal);
  const known = journal.patternRecords()[id]?.versions.find(({ nonce }) => nonce === approval.nonce);
  // Recorded already, and it may have died before the branch held it: the gate has been passed.
  if (!known) {
    const failed = (await gateProposal(parts, proposal, runs)).filter((one) => !one.passed);
    if (failed.length > 0) {
      throw new PatternRefused(
        `${path} failed the automatic checks: ${failed.map((one) => `${one.name} (${one.detail})`).join(" ")}`,
      );
    }
  }
  const title = startOf(titleOf(splitFrontMatter(proposal.markdown).body, proposal.name), 100);
  await write(parts, {
    id,
    text,
    subject: `Learn: ${title}`,
    run: proposal.run,
    nonce: approval.nonce,
  });
  if (!known) {
    journal.addPatternEvent({
      kind: "PatternApproved",
      id,
      text,
      run: approval.run ?? null,
      nonce: approval.nonce,
      at: approval.at,
    });
  }
  return { version: journal.patternRecords()[id]?.present ?? 1, path };
}

/** Writes or deletes (null) one file of the branch; nothing if it is unchanged. */
interface BranchWrite {
  readonly id: string;
  readonly text: string | null;
  readonly subject: string;
  readonly run: string | null;
  readonly nonce: string;
}

async function write({ repository }: StoreParts, change: BranchWrite): Promise<void> {
  const place = placeOfId(change.id);
  if (!place) throw new PatternRefused(`"${startOf(change.id, 100)}" is not a pattern name.`);
  const path = patternPath(place.category, place.name);
  const mark = `Hox-Approval: ${change.nonce}`;
  const by = { actor: "hox", request: change.nonce };
  // A commit with this nonce was made before a crash: only the bookmark may be missing.
  const made = await repository.changeWithLine(mark);
  const branch = await headOf(repository);
  if (made) {
    const stands = branch && (await repository.isAncestor(made.commitId, branch.commitId));
    if (!stands) await repository.setBookmark(patternBookmark, made.commitId, by);
    return;
  }
  if (branch) await refuseForeignFiles(repository, branch);
  if (branch && (await isWritten(repository, branch, path, change.text))) return;
  const trailers = ["Hox-Kind: pattern", ...(change.run ? [`Hox-Run: ${change.run}`] : []), mark];
  const written = await repository.newChange({
    parents: [branch?.commitId ?? "root()"],
    description: `${change.subject}\n\n${trailers.join("\n")}\n`,
    files: { [path]: change.text },
    ...by,
  });
  await repository.setBookmark(patternBookmark, written.commitId, by);
}

async function isWritten(
  repository: Repository,
  branch: BranchHead,
  path: string,
  text: string | null,
): Promise<boolean> {
  const isThere = (await repository.listFiles(branch.commitId)).includes(path);
  if (text === null || !isThere) return text === null && !isThere;
  return new TextDecoder().decode(await repository.readFile(branch.commitId, path)) === text;
}

/** An approval counts for the text that was shown, and once. */
function refuseOtherApproval(path: string, proposal: PatternProposal, approval: PatternApproval): void {
  if (approval.shown !== patternHash(proposal)) {
    throw new PatternRefused(`The approval of ${path} is for a different text. Review it again.`);
  }
  if (!/^[\w-]{8,200}$/u.test(approval.nonce))
    throw new PatternRefused(`The approval of ${path} has no valid nonce.`);
}

async function retirePattern(parts: StoreParts, id: string, why: string): Promise<void> {
  const { files } = await readBranchPatterns(parts);
  const record = parts.journal.patternRecords()[id];
  if (!record && !files.some((file) => file.id === id)) throw unknownPattern(id, files);
  const at = parts.now();
  // Retire it before deleting it: a crash in between leaves a file that is not trusted.
  parts.journal.addPatternEvent({ kind: "PatternRetired", id, why, at });
  await write(parts, {
    id,
    text: null,
    subject: `Retire: ${placeOfId(id)?.name ?? id}`,
    run: null,
    nonce: `retire-${record?.versions.length ?? 0}-${at}`,
  });
}

async function restorePattern(
  parts: StoreParts,
  id: string,
  version: number | null,
): Promise<{ readonly version: number }> {
  const record = parts.journal.patternRecords()[id];
  const chosen = chooseVersion(id, record, version);
  const at = parts.now();
  await write(parts, {
    id,
    text: chosen.text,
    subject: `Restore: ${placeOfId(id)?.name ?? id}, version ${chosen.version}`,
    run: null,
    nonce: `restore-${chosen.version}-${at}`,
  });
  parts.journal.addPatternEvent({ kind: "PatternRestored", id, version: chosen.version, at });
  return { version: chosen.version };
}

function chooseVersion(id: string, record: PatternRecord | undefined, version: number | null) {
  const wanted = version ?? record?.present;
  const chosen = record?.versions.find((one) => one.version === wanted);
  if (chosen) return chosen;
  const all = record?.versions.map((one) => one.version) ?? [];
  throw new PatternRefused(
    all.length === 0
      ? `No version of ${startOf(id, 100)} was approved here.`
      : `${id} has no version ${version}.`,
    all.length === 0 ? "The branch has no patterns yet." : `Available: ${all.join(", ")}.`,
  );
}

/** Says which there are. */
const unknownPattern = (id: string, files: readonly { readonly id: string }[]): PatternRefused =>
  new PatternRefused(
    `No pattern ${startOf(id, 100)}.`,
    files.length === 0
      ? "No patterns yet."
      : `Available: ${files
          .slice(0, 20)
          .map((file) => file.id)
          .join(", ")}.`,
  );
