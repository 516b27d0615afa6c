import { client } from "../../client.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { useNames } from "./change-facts.ts";

/** Stands for the subject of a change that has none. The user's own working copy says what is not committed yet. */
export function UnnamedChange({ commitId }: { readonly commitId: string }) {
  const names = useNames(commitId);
  return names.workspaces.includes("default") ? <WorkingCopy commitId={commitId} /> : "no description";
}

function WorkingCopy({ commitId }: { readonly commitId: string }) {
  const files = shownValue(useLoaded(commitId, () => client.change.files({ commitId })));
  if (files === null) return "your working copy";
  if (files.length === 0) return "no uncommitted changes";
  return `your uncommitted changes (${files.length === 1 ? "1 file" : `${files.length.toLocaleString()} files`})`;
}
