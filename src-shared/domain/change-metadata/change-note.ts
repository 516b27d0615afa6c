/**
 * Metadata of a landed commit, stored in a Git note instead of its message. (HOX-3.2, HOX-6.2)
 *
 * A note has one block of `Hox-*` lines for each change in the commit, its own first, separated by blank
 * lines. `Hox-Change` names a block's original change, `Hox-Landed` the commit's change: unlike the commit
 * id, that survives a rewrite. Unknown lines are kept and ignored.
 */
import type { Metadata } from "./metadata.ts";
import { parseDescription, readMetadata } from "./trailers.ts";
import { trailerLine } from "./write-trailers.ts";

/** The ref that holds the notes. */
export const notesRef = "refs/notes/hox";

const changeKey = "Hox-Change";
const landedKey = "Hox-Landed";

/** What a note says of one change. */
interface NoteBlock {
  /** Null if the user wrote the block. */
  readonly changeId: string | null;
  readonly metadata: Metadata;
}

/** A note on a commit. */
export interface ChangeNote {
  readonly commitId: string;
  readonly text: string;
  /** The change that the commit was when it landed. */
  readonly landedAs: string | null;
  readonly blocks: readonly NoteBlock[];
}

/** Notes by what they are found by. */
export interface Notes {
  readonly byCommit: ReadonlyMap<string, ChangeNote>;
  readonly byChange: ReadonlyMap<string, ChangeNote>;
}

/** A repository without notes. */
export const noNotes: Notes = { byCommit: new Map(), byChange: new Map() };

/**
 * The block for one change; its `Hox-*` trailers, those too that Hox does not know.
 * @param description as it was before it landed
 */
export function noteBlock(changeId: string, description: string): string {
  const lines = parseDescription(description).trailers.flatMap(({ key, value }) =>
    key.startsWith("Hox-") && key !== changeKey && key !== landedKey ? [`${key}: ${trailerLine(value)}`] : [],
  );
  return [...lines, `${changeKey}: ${changeId}`].join("\n");
}

/**
 * The text of a note after blocks were added. Existing text stays in order: a line that the user has changed
 * wins over ours, and an existing block only gets its missing keys.
 * @param existing the current note; empty if there is none
 */
export function addToNote(existing: string, landedAs: string, added: readonly string[]): string {
  const blocks = blocksOf(existing);
  for (const block of added) {
    const id = valueIn(block, changeKey);
    const at = blocks.findIndex((one) => valueIn(one, changeKey) === id);
    if (at < 0) blocks.push(block);
    else blocks[at] = withMissingLines(blocks[at] ?? "", block);
  }
  const text = blocks.join("\n\n");
  return `${valueIn(text, landedKey) === undefined ? `${landedKey}: ${landedAs}\n` : ""}${text}\n`;
}

/** Reads a note. Whatever is in it, this is no error. */
export function parseNote(commitId: string, text: string): ChangeNote {
  return {
    commitId,
    text,
    landedAs: valueIn(text, landedKey) ?? null,
    blocks: blocksOf(text).map((block) => ({
      changeId: valueIn(block, changeKey) ?? null,
      // Only Hox's lines: any other line would make jj's rules reject the whole paragraph.
      metadata: readMetadata(
        `\n\n${block
          .split("\n")
          .filter((line) => line.startsWith("Hox-"))
          .join("\n")}`,
      ),
    })),
  };
}

/** Notes by commit, and by the change that each landed as. */
export function indexNotes(notes: readonly ChangeNote[]): Notes {
  return {
    byCommit: new Map(notes.map((note) => [note.commitId, note])),
    byChange: new Map(notes.flatMap((note) => (note.landedAs === null ? [] : [[note.landedAs, note]]))),
  };
}

/** A change with the metadata of its note. What its own description says wins, field by field. */
export function withNote<
  C extends { readonly commitId: string; readonly changeId: string; readonly metadata: Metadata },
>(change: C, { byCommit, byChange }: Notes): C {
  const blocks = (byCommit.get(change.commitId) ?? byChange.get(change.changeId))?.blocks ?? [];
  const own = blocks.find(({ changeId }) => changeId !== null) ?? blocks[0];
  return own ? { ...change, metadata: { ...own.metadata, ...change.metadata } } : change;
}

const blocksOf = (text: string): string[] =>
  text
    .split(/\n(?:[ \t]*\r?\n)+/u)
    .map((block) => block.trim())
    .filter((block) => block !== "");

const keyOf = (line: string): string | undefined => /^([A-Za-z0-9-]+) *:/u.exec(line)?.[1];

const valueIn = (text: string, key: string): string | undefined =>
  text.split("\n").flatMap((line) => {
    const value = keyOf(line) === key ? line.slice(line.indexOf(":") + 1).trim() : "";
    return value === "" ? [] : [value];
  })[0];

function withMissingLines(block: string, other: string): string {
  const keys = new Set(block.split("\n").map(keyOf));
  return [block, ...other.split("\n").filter((line) => !keys.has(keyOf(line)))].join("\n");
}
