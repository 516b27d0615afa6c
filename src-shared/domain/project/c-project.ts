import ignore from "ignore";
import { check, type FoundCheck, type PartialFacts, type ProjectFolder, program } from "./project-facts.ts";

/** C and C++ with CMake or Meson. Where there is only a Makefile, `makefileProject` reads its targets. */
export function cProject(project: ProjectFolder): PartialFacts | null {
  const isPlus = project.files.some((path) => /\.(?:cc|cpp|cxx|hpp|hh)$/u.test(path));
  const isC = isPlus || project.files.some((path) => /\.[ch]$/u.test(path));
  const system = project.has("CMakeLists.txt")
    ? "CMakeLists.txt"
    : project.has("meson.build")
      ? "meson.build"
      : null;
  const isMade =
    system === null && isC && ["Makefile", "makefile", "GNUmakefile"].some((name) => project.has(name));
  if (system === null && !isMade) return null;
  const reason = system ?? "Makefile";
  return {
    languages: [{ name: isPlus ? "C++" : "C", reason }],
    packageManagers: [],
    checks: system === null ? [] : [system === "meson.build" ? meson(project) : cmake(project)],
  };
}

/** Where the build goes: a folder that no commit takes up, or one outside that is made anew each time. */
function buildFolder(project: ProjectFolder): string {
  const ignored = ignore().add(project.text(".gitignore"));
  return (
    ["build", "_build", "builddir", "out", "cmake-build-debug"].find((name) => ignored.ignores(`${name}/`)) ??
    "/tmp/hox-build"
  );
}

function cmake(project: ProjectFolder): FoundCheck {
  const folder = buildFolder(project);
  return check({
    name: "ctest",
    speed: "slow",
    everyNIterations: 3,
    reason: "CMakeLists.txt",
    command: `cmake -S . -B ${folder} && cmake --build ${folder} --parallel 2 && ctest --test-dir ${folder} --output-on-failure`,
    needs: [program("cmake", "Install CMake and a compiler, then look again.")],
  });
}

function meson(project: ProjectFolder): FoundCheck {
  const folder = buildFolder(project);
  return check({
    name: "meson test",
    speed: "slow",
    everyNIterations: 3,
    reason: "meson.build",
    command: `{ test -f ${folder}/build.ninja || meson setup ${folder}; } && meson test -C ${folder} --print-errorlogs`,
    needs: [
      program("meson", "Install Meson, then look again."),
      program("ninja", "Install Ninja, then look again."),
    ],
  });
}
