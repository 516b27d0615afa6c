/**
 * Who needs whom among the project's own modules, types included: what is erased for the machine is not erased for a
 * reader.
 *
 * @typedef {{ source: string, dependencies: readonly { resolved: string, dependencyTypes?: readonly string[] }[] }} Module as dependency-cruiser writes it
 * @typedef {ReadonlyMap<string, ReadonlySet<string>>} Graph
 */

const ours = /^(?:src-main|src-shared|src-renderer|build|bench)\//u;
const test = /\.(?:test|spec|bench)\.tsx?$/u;

/** @param {readonly Module[]} modules @returns {Graph} */
export function graphOf(modules) {
  const counted = new Set(
    modules.map(({ source }) => source).filter((source) => ours.test(source) && !test.test(source)),
  );
  return new Map(
    modules
      .filter(({ source }) => counted.has(source))
      .map(({ source, dependencies }) => [
        source,
        new Set(
          dependencies.map(({ resolved }) => resolved).filter((to) => to !== source && counted.has(to)),
        ),
      ]),
  );
}

/**
 * Modules that lead to each other, each circle sorted, the largest first (Tarjan's algorithm, without recursion).
 * @param {Graph} graph
 * @returns {readonly (readonly string[])[]}
 */
export function circlesIn(graph) {
  /** @type {Map<string, { index: number, low: number, isOpen: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const circles = [];
  const enter = (/** @type {string} */ name) => {
    const place = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(name, place);
    open.push(name);
    return { name, place, next: [...(graph.get(name) ?? [])] };
  };
  for (const start of graph.keys()) {
    if (seen.has(start)) continue;
    const way = [enter(start)];
    for (let here = way.at(-1); here; here = way.at(-1)) {
      const to = here.next.pop();
      if (to !== undefined) {
        const known = seen.get(to);
        if (known === undefined) way.push(enter(to));
        else if (known.isOpen) here.place.low = Math.min(here.place.low, known.index);
        continue;
      }
      way.pop();
      const above = way.at(-1);
      if (above) above.place.low = Math.min(above.place.low, here.place.low);
      if (here.place.low < here.place.index) continue;
      const circle = open.splice(open.lastIndexOf(here.name));
      for (const name of circle) /** @type {{ isOpen: boolean }} */ (seen.get(name)).isOpen = false;
      if (circle.length > 1) circles.push(circle.sort());
    }
  }
  return circles.sort((one, other) => other.length - one.length || (one.join() < other.join() ? -1 : 1));
}

/** Folders that may not need each other in a circle, by the files in them. */
const rooms = [
  { name: "domain", folder: /^src-shared\/domain\/([^/]+)\/./u },
  { name: "engine", folder: /^src-main\/engine\/((?:features\/[^/]+\/)?[^/]+)\/./u },
  { name: "api", folder: /^src-main\/api\/([^/]+)\/./u },
  { name: "renderer", folder: /^src-renderer\/((?:features\/|graph\/)?[^/]+)\/./u },
];

/**
 * Folders that lead to each other, of whatever length the way is, as `engine: agents, run, workers`.
 * @param {Graph} graph
 * @returns {readonly string[]}
 */
export const folderCirclesIn = (graph) =>
  rooms.flatMap(({ name, folder }) => {
    /** @type {Map<string, Set<string>>} */
    const arrows = new Map();
    for (const [from, all] of graph) {
      const a = folder.exec(from)?.[1];
      if (a === undefined) continue;
      const targets = arrows.get(a) ?? new Set();
      for (const to of all) {
        const b = folder.exec(to)?.[1];
        if (b !== undefined && b !== a) targets.add(b);
      }
      arrows.set(a, targets);
    }
    return circlesIn(arrows).map((circle) => `${name}: ${circle.join(", ")}`);
  });
