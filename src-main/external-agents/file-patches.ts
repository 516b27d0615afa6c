import { createTwoFilesPatch, type HeaderOptions } from "diff";

/** Of the patches of one call together, in ms: nothing else happens in the host meanwhile. */
const maxMs = 1_000;

interface FileVersions {
  readonly names: readonly [before: string, after: string];
  readonly oldText: string;
  readonly newText: string;
}

/** Makes the patches of one call. @returns null for what would take too long, and for all that follow */
export function patchMaker(headerOptions: HeaderOptions) {
  let leftMs = maxMs;
  return ({ names: [before, after], oldText, newText }: FileVersions): string | null => {
    if (leftMs <= 0) return null;
    const begun = performance.now();
    const patch = createTwoFilesPatch(before, after, oldText, newText, "", "", {
      headerOptions,
      timeout: leftMs,
    });
    leftMs -= performance.now() - begun;
    return patch ?? null;
  };
}
