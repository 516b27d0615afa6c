import { starMatcher } from "./glob.ts";

/** What tools cache in a folder. It is not work, and two agents never conflict in it. */
interface ToolCache {
  /** Path from the root of a workspace; `**` matches any folders, `*` a part of one name. */
  readonly pattern: string;
  /** The tool that owns it, for the user. */
  readonly reason: string;
}

const of = (reason: string, ...patterns: readonly string[]): readonly ToolCache[] =>
  patterns.map((pattern) => ({ pattern, reason }));

/**
 * Left out of every change unless the repository tracks it, even if it is not ignored. Only names that
 * projects do not use for their own files: `build`, `dist` or `coverage` may be work.
 */
const toolCaches: readonly ToolCache[] = [
  ...of("compiled by Python", "**/__pycache__/**"),
  ...of("cache of pytest", "**/.pytest_cache/**"),
  ...of("cache of mypy", "**/.mypy_cache/**"),
  ...of("cache of ruff", "**/.ruff_cache/**"),
  ...of("examples of hypothesis", "**/.hypothesis/**"),
  ...of("environments of tox and nox", "**/.tox/**", "**/.nox/**"),
  ...of("packages of a virtual environment", "**/.venv/**", "venv/pyvenv.cfg", "venv/bin/**", "venv/lib/**"),
  ...of("an editable pip installation", "**/*.egg-info/**", "**/.eggs/**"),
  ...of("data of coverage.py", "**/.coverage", "**/.coverage.*", "**/htmlcov/**"),
  ...of("installed packages", "node_modules/**"),
  ...of("cache of a linter", "**/.eslintcache", "**/.stylelintcache"),
  ...of("state of the TypeScript compiler", "**/*.tsbuildinfo"),
  ...of("data of nyc", "**/.nyc_output/**"),
  ...of(
    "cache of a bundler",
    "**/.parcel-cache/**",
    "**/.turbo/**",
    "**/.vite/**",
    "**/.svelte-kit/**",
    "**/.next/cache/**",
  ),
  ...of(
    "built by cargo",
    "**/target/debug/**",
    "**/target/release/**",
    "**/target/.rustc_info.json",
    "**/target/CACHEDIR.TAG",
  ),
  ...of("cache of Gradle", "**/.gradle/**", "**/.kotlin/**"),
  ...of("cache of PHP's tools", "**/.phpunit.result.cache", "**/.phpunit.cache/**", "**/.php-cs-fixer.cache"),
  ...of("built by mix", "_build/**"),
  ...of("cache of Dart", "**/.dart_tool/**"),
  ...of("left by a file manager", "**/.DS_Store", "**/Thumbs.db"),
];

/** Why a path is left out of changes, or null. */
export function toolCacheReason(path: string): string | null {
  return compiled.find(({ fits }) => fits(path))?.reason ?? null;
}

const compiled = toolCaches.map(({ pattern, reason }) => ({ fits: starMatcher(pattern), reason }));

/** Of jj's `snapshot.auto-track`: everything but caches of tools. What is tracked already stays so. */
export const trackedFileset: string = `~(${toolCaches.map(({ pattern }) => `root-glob:"${pattern}"`).join("|")})`;
