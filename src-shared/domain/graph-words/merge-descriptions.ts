import type { MetadataField, MetadataPatch } from "./metadata.ts";
import { metadataFields, readMetadata } from "./trailers.ts";
import { writeMetadata } from "./write-trailers.ts";

/**
 * Joins two descriptions that were written at the same time from one: the words around the trailers as one text,
 * and each Hox field for itself. (HOX-2.1)
 * @param base what both began with
 * @param keepBoth where both changed the same, the value of `one` holds, and new lines of `other` follow its words
 * @returns the joined description, or nothing when both changed the same thing differently and not both are kept
 */
export function mergeDescriptions(
  base: string,
  one: string,
  other: string,
  { keepBoth = false }: { readonly keepBoth?: boolean } = {},
): string | undefined {
  const all = Object.fromEntries(metadataFields.map((field) => [field, null])) as MetadataPatch;
  const merged = <T>(
    from: T,
    left: T,
    right: T,
    both: (left: T, right: T) => T = () => left,
  ): { readonly value: T } | undefined => {
    if (left === right || right === from) return { value: left };
    if (left === from) return { value: right };
    return keepBoth ? { value: both(left, right) } : undefined;
  };
  const words = writeMetadata(base, all);
  const text = merged(words, writeMetadata(one, all), writeMetadata(other, all), (left, right) =>
    withNewLines(words, left, right),
  );
  if (!text) return undefined;
  const from = readMetadata(base);
  const left = readMetadata(one);
  const right = readMetadata(other);
  const patch: Partial<Record<MetadataField, string | number>> = {};
  for (const field of metadataFields) {
    const value = merged<string | number | undefined>(from[field], left[field], right[field]);
    if (!value) return undefined;
    if (value.value !== undefined) patch[field] = value.value;
  }
  return writeMetadata(text.value, patch as MetadataPatch);
}

/** The first text, and below it the lines that the second has and neither the first nor what both began with. */
function withNewLines(base: string, one: string, other: string): string {
  const known = new Set([base, one].flatMap((text) => text.split("\n")));
  const added = other.split("\n").filter((line) => line.trim() !== "" && !known.has(line));
  return added.length === 0 ? one : `${one.trimEnd()}\n\n${added.join("\n")}\n`;
}
