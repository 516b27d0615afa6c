/** Where a reviewer's words are about lines: `src/api.ts:12`, `src/api.ts, line 12`. */

export interface PlacedRemark {
  readonly path: string;
  readonly line: number;
  /** The paragraph that names the line. */
  readonly text: string;
}

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/gu, "\\$&");

/** @param paths of the files that the words may be about; the longest name that fits is meant */
export function placedRemarks(words: string, paths: readonly string[]): readonly PlacedRemark[] {
  const pathsByLength = paths.toSorted((one, other) => other.length - one.length);
  return words
    .split(/\n(?=[ \t]*(?:[-*•]|\d+[.)])\s)|\n{2,}/u)
    .map((paragraph) => paragraph.trim())
    .flatMap((text) => {
      const places = new Map<string, PlacedRemark>();
      let rest = text;
      for (const path of pathsByLength) {
        const form = new RegExp(`(?<![\\w/.-])${escaped(path)}\`?(?::|,? lines? )(\\d+)`, "gu");
        for (const [, digits] of rest.matchAll(form)) {
          const line = Number(digits);
          if (line > 0) places.set(`${path}:${line}`, { path, line, text });
        }
        rest = rest.replaceAll(form, "");
      }
      return [...places.values()];
    });
}
