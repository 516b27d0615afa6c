/** @typedef {{ seconds: number, file: string, title: string }} Timed */

/** @param {any} report as vitest's JSON reporter writes it @returns {Timed[]} */
export const timedByVitest = ({ testResults }) =>
  testResults.flatMap((/** @type {any} */ { name, assertionResults }) =>
    assertionResults.map((/** @type {any} */ one) => ({
      seconds: (one.duration ?? 0) / 1000,
      file: name,
      title: one.fullName.trim(),
    })),
  );

/** A test that was tried again took the time of all its tries. @param {any} report as Playwright's JSON reporter writes it @returns {Timed[]} */
export const timedByPlaywright = ({ suites }) => suites.flatMap(timedIn);

/** @param {any} suite @returns {Timed[]} */
const timedIn = ({ specs = [], suites = [] }) => [
  ...specs.map((/** @type {any} */ spec) => ({
    seconds: sum(spec.tests.flatMap((/** @type {any} */ one) => one.results).map(durationOf)) / 1000,
    file: spec.file,
    title: spec.title,
  })),
  ...suites.flatMap(timedIn),
];

const durationOf = (/** @type {{ duration: number }} */ { duration }) => duration;
const sum = (/** @type {readonly number[]} */ numbers) => numbers.reduce((all, one) => all + one, 0);

/**
 * Seconds per file or per test, the longest first.
 * @param {readonly Timed[]} tests
 * @param {(test: Timed) => string} by
 * @returns {(readonly [string, number])[]}
 */
export function longest(tests, by) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const test of tests) times.set(by(test), (times.get(by(test)) ?? 0) + test.seconds);
  return [...times].sort(([, a], [, b]) => b - a);
}
