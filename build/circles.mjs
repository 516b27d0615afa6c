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

/** Folders of which no two may need each other, by the files in them. */
const rooms = [
  { name: "domain", folder: /^src-shared\/domain\/([^/]+)\/./u },
  { name: "engine", folder: /^src-main\/engine\/((?:features\/[^/]+\/)?[^/]+)\/./u },
  { name: "api", folder: /^src-main\/api\/([^/]+)\/./u },
  { name: "renderer", folder: /^src-renderer\/((?:features\/|graph\/)?[^/]+)\/./u },
];

/**
 * Pairs of folders that import each other, as `engine: agents, run`, with how often each needs the other.
 * @param {Graph} graph
 * @returns {readonly { pair: string, imports: readonly [number, number] }[]}
 */
export function pairsIn(graph) {
  return rooms.flatMap(({ name, folder }) => {
    /** @type {Map<string, number>} */
    const arrows = new Map();
    for (const [from, to] of [...graph].flatMap(([from, all]) => [...all].map((to) => [from, to]))) {
      const [a, b] = [folder.exec(from ?? "")?.[1], folder.exec(to ?? "")?.[1]];
      if (a === undefined || b === undefined || a === b) continue;
      arrows.set(`${a} ${b}`, (arrows.get(`${a} ${b}`) ?? 0) + 1);
    }
    return [...arrows].flatMap(([arrow, count]) => {
      const [a = "", b = ""] = arrow.split(" ");
      const back = arrows.get(`${b} ${a}`);
      return back !== undefined && a < b
        ? [{ pair: `${name}: ${a}, ${b}`, imports: /** @type {const} */ ([count, back]) }]
        : [];
    });
  });
}

const feature = /^src-main\/engine\/features\/([^/]+\/[^/]+)\/./u;

/**
 * Where a capability of the engine needs another one's values, as `from → to`. Types of another may be named; what it
 * does is its own business, and is asked for through the registry.
 * @param {readonly Module[]} modules
 * @returns {readonly string[]}
 */
export const featureImportsIn = (modules) =>
  modules
    .filter(({ source }) => feature.test(source) && !test.test(source))
    .flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ resolved, dependencyTypes = [] }) => {
          const to = feature.exec(resolved)?.[1];
          return (
            to !== undefined && to !== feature.exec(source)?.[1] && !dependencyTypes.includes("type-only")
          );
        })
        .map(({ resolved }) => `${source} → ${resolved}`),
    )
    .sort();
