import type { ConflictSide, ConflictView } from "#shared/contract/views/conflict.ts";
import { type ConflictTerm, conflictParts, originOf } from "#shared/domain/conflict/conflict-text.ts";
import { conflictMark } from "../jj/read-conflict.ts";
import type { Repository } from "../jj/repository-interface.ts";
import type { HostState } from "./host-state.ts";
import { Refusal } from "./refusal.ts";

/** A longer file is not settled line by line; its sides can be taken whole. In bytes. */
const maxTextLength = 2_000_000;

/** @throws Refusal where the file is in no conflict in this commit */
export async function conflictView(state: HostState, commitId: string, path: string): Promise<ConflictView> {
  const { repository } = state.opened();
  const files = await repository.conflictedFiles(commitId);
  if (!files.some((file) => file.path === path))
    throw new Refusal(
      `${path} has no conflict in this change.`,
      "It may already be resolved: select the change again in the graph.",
    );
  const content = await repository.readConflict(commitId, path);
  const seen = conflictMark(content);
  const text = Buffer.from(content).toString("utf8");
  const listed = linksIn(text);
  const parts = listed === null ? conflictParts(text) : [];
  const terms = listed ?? parts.find((part) => part.kind === "conflict")?.terms ?? [];
  const why =
    listed !== null
      ? "no-file"
      : content.includes(0)
        ? "binary"
        : content.length > maxTextLength
          ? "long"
          : null;
  const sides = await Promise.all(terms.map((term) => sideOf(repository, term, why === null ? null : path)));
  return why === null
    ? { path, seen, sides, kind: "text", parts }
    : { path, seen, sides, kind: "whole", why, words: listed === null ? "" : text };
}

const linkForm = /^ {2}(Removing|Adding) (.*) with id [0-9a-f]+(?: \((.*)\))?$/u;

/** jj writes no markers where a side is a link or a folder, but a list; null where this is none. */
function linksIn(text: string): readonly ConflictTerm[] | null {
  const [head, ...lines] = text.split("\n");
  if (head !== "Conflict:") return null;
  return lines.flatMap((line) => {
    const [, what, kind = "", label = ""] = linkForm.exec(line) ?? [];
    return what === undefined
      ? []
      : [{ kind: what === "Adding" ? ("side" as const) : ("base" as const), label, text: kind }];
  });
}

/** @param counted the file whose length is told, or null */
async function sideOf(
  repository: Pick<Repository, "query" | "readFile">,
  { kind, label }: ConflictTerm,
  counted: string | null,
): Promise<ConflictSide> {
  const { commit, change, title, part } = originOf(label);
  const none = { kind, commit, changeId: change, title, part, agent: null, changeKind: null, bytes: null };
  if (commit === null) return none;
  const [found] = await repository.query(`present(${commit})`, { limit: 1 });
  const bytes = counted === null ? null : await lengthOf(repository, commit, counted);
  if (!found) return { ...none, bytes };
  const { metadata } = found;
  return {
    ...none,
    commit: found.commitId,
    changeId: found.changeId,
    agent: metadata.agent ?? metadata.orchestrator ?? null,
    changeKind: metadata.kind ?? null,
    bytes,
  };
}

/** Null where it has no such file, or no plain one. */
const lengthOf = (
  repository: Pick<Repository, "readFile">,
  commit: string,
  path: string,
): Promise<number | null> =>
  repository.readFile(commit, path).then(
    ({ length }) => length,
    () => null,
  );
