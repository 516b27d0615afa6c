import ignore from "ignore";
import {
  check,
  type FoundCheck,
  firstOf,
  type PartialFacts,
  type ProjectFolder,
  program,
} from "./project-facts.ts";

/** C and C++ with CMake, Meson or autotools. Where there is only a Makefile, `makefileChecks` reads its targets. */
export function cProject(project: ProjectFolder): PartialFacts | null {
  const isPlus = project.files.some((path) => /\.(?:cc|cpp|cxx|hpp|hh)$/u.test(path));
  const isC = isPlus || project.files.some((path) => /\.[ch]$/u.test(path));
  const system = project.has("CMakeLists.txt")
    ? "CMakeLists.txt"
    : project.has("meson.build")
      ? "meson.build"
      : autotoolsIn(project);
  const isMade =
    system === null && isC && ["Makefile", "makefile", "GNUmakefile"].some((name) => project.has(name));
  if (system === null && !isMade) return null;
  const reason = system ?? "Makefile";
  return {
    languages: isC || !isAutotools(system) ? [{ name: isPlus ? "C++" : "C", reason }] : [],
    packageManagers: [],
    checks: system === null ? [] : [checkWith(system, project)],
  };
}

const checkWith = (system: string, project: ProjectFolder): FoundCheck => {
  if (isAutotools(system)) return autotools(system, project);
  return system === "meson.build" ? meson(project) : cmake(project);
};

const settings = ["configure.ac", "configure.in"];
const isAutotools = (system: string | null): system is string =>
  system !== null && [...settings, "configure"].includes(system);

/** What says that `configure` makes the Makefile; in the root alone, since libraries of others come along that way. */
function autotoolsIn(project: ProjectFolder): string | null {
  if (project.folder !== "") return null;
  const isMade = project.has("Makefile.am") || project.has("Makefile.in");
  return (isMade && firstOf(project, [...settings, "configure"])) || null;
}

/**
 * In the folder itself if its products are not committed, which keeps the build; else in a new copy each
 * time.
 */
function autotools(system: string, project: ProjectFolder): FoundCheck {
  const ignored = ignore().add(project.text(".gitignore"));
  const isShipped = project.has("configure");
  const isInPlace = ["config.status", "Makefile", ...(isShipped ? [] : ["configure"])].every((name) =>
    ignored.ignores(name),
  );
  // What is shipped is as new as what it was made from, after a checkout: it must not be made again.
  const configure = isShipped ? "ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: sh ./configure" : "./configure";
  const isTest =
    !project.has("Makefile.am") &&
    !/^check\s*:/mu.test(project.text("Makefile.in")) &&
    /^test\s*:/mu.test(project.text("Makefile.in"));
  const target = isTest ? "test" : "check";
  const steps = isInPlace
    ? [
        ...(isShipped ? [] : ["{ test -f configure || autoreconf --install; }"]),
        `{ test -f config.status || ${configure}; }`,
      ]
    : [
        "cp -R . /tmp/hox-build",
        "cd /tmp/hox-build",
        ...(isShipped ? [] : ["autoreconf --install"]),
        configure,
      ];
  const needs = [
    ...(isShipped ? [] : ["autoreconf"]),
    program("make", "Install make and a compiler, then check again."),
  ];
  const command = [...steps, `make -j2 ${target}`].join(" && ");
  return check("slow", `make ${target}`, system, command, needs, { every: 3 });
}

/** The build folder: one that is not committed, or a new one outside each time. */
function buildFolder(project: ProjectFolder): string {
  const ignored = ignore().add(project.text(".gitignore"));
  return (
    ["build", "_build", "builddir", "out", "cmake-build-debug"].find((name) => ignored.ignores(`${name}/`)) ??
    "/tmp/hox-build"
  );
}

function cmake(project: ProjectFolder): FoundCheck {
  const folder = buildFolder(project);
  const command = `cmake -S . -B ${folder} && cmake --build ${folder} --parallel 2 && ctest --test-dir ${folder} --output-on-failure`;
  return check("slow", "ctest", "CMakeLists.txt", command, ["cmake"], { every: 3 });
}

function meson(project: ProjectFolder): FoundCheck {
  const folder = buildFolder(project);
  const command = `{ test -f ${folder}/build.ninja || meson setup ${folder}; } && meson test -C ${folder} --print-errorlogs`;
  return check("slow", "meson test", "meson.build", command, ["meson", "ninja"], { every: 3 });
}
