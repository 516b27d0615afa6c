import { type RefObject, useEffect, useMemo, useState } from "react";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { client } from "../../client.ts";
import { type Find, useFind } from "../../kit/find/find-bar.tsx";
import { type DiffPlace, linesOfDiff, showInDiff } from "./find-in-diff.ts";

interface DiffFindOptions {
  readonly commitId: string;
  readonly frame: RefObject<HTMLElement | null>;
  readonly shown: readonly FileStat[];
  /** Diffs that came with the whole, by path. */
  readonly diffs: ReadonlyMap<string, string>;
  readonly onHit: (path: string) => void;
}

/** Finding in all files of a diff: those that are too long to come with the whole are read once the bar is open. */
export function useDiffFind({ commitId, frame, shown, diffs, onHit }: DiffFindOptions) {
  const [read, setRead] = useState<ReadonlyMap<string, string>>(new Map());
  const known = useMemo(() => new Map([...diffs, ...read]), [diffs, read]);
  const find: Find | null = useFind<DiffPlace>({
    frame,
    of: known,
    pieces: () => shown.flatMap(({ path }) => linesOfDiff(path, known.get(path) ?? "")),
    show(hit, query) {
      onHit(hit.key.path);
      return showInDiff(frame.current, hit, query);
    },
  });
  const isOpen = find !== null;
  const missing = isOpen ? shown.find(({ path }) => !known.has(path)) : undefined;
  useEffect(() => {
    if (!missing) return;
    let isWanted = true;
    const { path, source } = missing;
    const keep = (diff: string): void => {
      if (isWanted) setRead((before) => new Map(before).set(path, diff));
    };
    client.change
      .diff({ commitId, paths: source === path ? [path] : [path, source] })
      // The file itself says on the page why it could not be read.
      .then(
        ({ diff }) => keep(diff),
        () => keep(""),
      );
    return () => {
      isWanted = false;
    };
  }, [commitId, missing]);
  return { find, isReading: missing !== undefined };
}
