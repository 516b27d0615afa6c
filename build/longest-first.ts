import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take half a minute or more and of which nobody would think so by their size, which is all that is known of them
 * in a fresh clone: begun last, they would keep one core at work alone.
 */
export const longest: readonly string[] = [
  "e2e/containment/outside.test.ts",
  "e2e/containment/recorded.test.ts",
  "src-main/engine/run/crash.test.ts",
  "src-main/engine/orchestrators/two-levels.test.ts",
  "src-main/cli/inspect/validate.test.ts",
  "src-main/engine/features/landing/landing/git-landing.test.ts",
];

/** The same in an order in which the longest of each project come first. @param files in order, one project after the other */
export function sortLongestFirst<File extends { readonly path: string; readonly project: string }>(
  files: readonly File[],
): readonly File[] {
  const rank = ({ path }: File): number => {
    const at = longest.indexOf(path);
    return at < 0 ? longest.length : at;
  };
  return [...Map.groupBy(files, ({ project }) => project).values()].flatMap((those) =>
    those.toSorted((one, other) => rank(one) - rank(other)),
  );
}

/** Vitest's own order, by earlier durations or by size, behind the longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const files = sorted.map((specification) => ({
      specification,
      path: relative(this.ctx.config.root, specification.moduleId).replaceAll("\\", "/"),
      project: specification.project.name,
    }));
    return sortLongestFirst(files).map(({ specification }) => specification);
  }
}
