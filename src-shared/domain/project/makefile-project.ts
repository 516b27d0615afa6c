import { check, type FoundCheck, firstOf, type ProjectFolder, program } from "./project-facts.ts";

const make = program("make", "Install make, then check again.");

/** Targets by which people check their work, of a Makefile; asked only where nothing else says how. */
export function makefileChecks(project: ProjectFolder): readonly FoundCheck[] {
  const file = firstOf(project, ["GNUmakefile", "makefile", "Makefile"]);
  if (file === undefined) return [];
  const targets = new Set(
    [...project.text(file).matchAll(/^([A-Za-z][\w \t-]*)::?(?!=)/gmu)].flatMap(([, names = ""]) =>
      names.split(/\s+/u),
    ),
  );
  const of = (target: string, speed: FoundCheck["speed"]): FoundCheck =>
    check({
      name: `make ${target}`,
      speed,
      reason: `${file}: ${target}`,
      command: `make ${target}`,
      needs: [make],
    });
  const test = ["test", "check", "tests"].find((name) => targets.has(name));
  return [
    ...(targets.has("lint") ? [of("lint", "fast")] : []),
    ...(test === undefined ? [] : [of(test, "slow")]),
  ];
}
