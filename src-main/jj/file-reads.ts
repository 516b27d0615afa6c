import { fileStats } from "./file-stats.ts";
import type { ChangedFile, ConflictedFile, ContentReader } from "./ports/content-reader.ts";
import { allSides, exactFile, markers, noPrefixes, type ReadAccess, revsetLog } from "./read-access.ts";
import { readJson } from "./read-json.ts";
import { readTexts } from "./read-texts.ts";

/** Makes the reads of the files of one commit. */
export function createFileReads({
  jj,
  root,
  at,
}: ReadAccess): Pick<
  ContentReader,
  "changedFiles" | "fileStats" | "listFiles" | "readFile" | "readConflict" | "readTexts" | "conflictedFiles"
> {
  async function rows(revset: string, template: string, operation?: string) {
    const { stdout } = await jj.run({
      args: [...(await at(operation)), ...noPrefixes, ...revsetLog(revset), "-T", template],
      cwd: root,
    });
    return stdout === "" ? [] : (readJson(stdout) as readonly (readonly [string, string | number])[]);
  }

  const show = async (commit: string, path: string, style: readonly string[], operation?: string) =>
    jj.bytes({
      args: [
        ...(await at(operation)),
        ...noPrefixes,
        ...style,
        ...["file", "show", "-r", commit, "--", exactFile(path)],
      ],
      cwd: root,
    });

  return {
    async changedFiles(commit, { operation } = {}): Promise<readonly ChangedFile[]> {
      const template =
        '"[" ++ self.diff().files().map(|f| "[" ++ json(f.path()) ++ "," ++ json(f.status()) ++ "]" ++ if(f.status() == "renamed", ",[" ++ json(f.source().path()) ++ "," ++ json("removed") ++ "]")).join(",") ++ "]"';
      const files = await rows(commit, template, operation);
      return files.map(([path, kind]) => ({ path, kind: kind as ChangedFile["kind"] }));
    },

    fileStats: (commit, { operation } = {}) => fileStats({ jj, root, at }, commit, operation),

    async listFiles(commit, { operation } = {}) {
      const list = ["file", "list", "-r", commit, "-T", 'json(self.path()) ++ "\\n"'];
      const { stdout } = await jj.run({
        args: [...(await at(operation)), ...noPrefixes, ...list],
        cwd: root,
      });
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => readJson(line) as string);
    },

    readFile: (commit, path, { operation } = {}) => show(commit, path, markers, operation),

    readConflict: (commit, path, { operation } = {}) => show(commit, path, allSides, operation),

    async readTexts(commit, paths, options = {}) {
      const pin = await at(options.operation);
      const show = [...pin, ...noPrefixes, ...markers, "file", "show", "-r", commit];
      return readTexts(
        jj,
        root,
        (some, template) => [...show, "-T", template, "--", ...some.map(exactFile)],
        paths,
        options,
      );
    },

    async conflictedFiles(commit, { operation } = {}): Promise<readonly ConflictedFile[]> {
      const template =
        '"[" ++ self.conflicted_files().map(|e| "[" ++ json(e.path()) ++ "," ++ e.conflict_side_count() ++ "]").join(",") ++ "]"';
      const files = await rows(commit, template, operation);
      return files.map(([path, sides]) => ({ path, sides: Number(sides) }));
    },
  };
}
