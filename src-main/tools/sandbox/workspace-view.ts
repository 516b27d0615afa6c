import type { Toolchains } from "./toolchains.ts";

/** What every sandbox makes itself; nothing stands in their place, and nothing within most of them. */
const own = [
  "/usr",
  "/etc",
  "/tmp",
  "/run",
  "/dev",
  "/dev/shm",
  "/proc",
  "/sys",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/sandbox",
];
const closed = ["/etc", "/dev", "/proc", "/sys", "/sandbox"];

/**
 * Where a workspace stands inside: at the path of the repository that it is a copy of, so that every absolute path that a
 * tool has written down there (virtual environments, build trees, caches of compilers) leads to the workspace. At its own
 * path where that place is taken by something that commands need.
 */
export function workspaceView(
  workspace: string,
  repository: string | null,
  toolchains: Toolchains,
  home: string,
): string {
  if (repository === null) return workspace;
  const needed = [
    ...own,
    home,
    ...toolchains.readable,
    ...toolchains.links.map(({ path }) => path),
    ...toolchains.files.map(({ path }) => path),
  ];
  const isClosed = closed.some((folder) => isWithin(repository, folder)) && !isWithin(repository, "/dev/shm");
  const isTaken =
    needed.some((path) => isWithin(path, repository)) || isClosed || isWithin(workspace, repository);
  return isTaken ? workspace : repository;
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
