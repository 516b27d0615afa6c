import { parseJson, textIn } from "./parse-text.ts";
import { check, type PartialFacts, type ProjectFolder, program } from "./project-facts.ts";

const dotnet = program("dotnet", "Install the .NET SDK, then check again.");

/** C# (and F#): one `dotnet build` and `dotnet test` for the solution. */
export function dotnetProject(project: ProjectFolder): PartialFacts | null {
  const here = (ending: RegExp): string | undefined =>
    project.files.find((path) => !path.includes("/") && ending.test(path));
  const manifest = here(/\.slnx?$/u) ?? here(/\.(?:cs|fs)proj$/u);
  if (manifest === undefined || isOfCppAlone(project.text(manifest))) return null;
  const version = textIn(parseJson(project.text("global.json")), "sdk", "version");
  const projects = project.files.filter((path) => /\/[^/]+\.(?:cs|fs)proj$/u.test(path));
  const isFsharp = !project.files.some((path) => path.endsWith(".csproj")) && manifest.endsWith(".fsproj");
  return {
    languages: [{ name: isFsharp ? "F#" : "C#", reason: manifest }],
    packageManagers: [{ name: "NuGet", reason: manifest }],
    workspaces: projects.map((path) => ({ name: path.slice(0, path.lastIndexOf("/")), reason: manifest })),
    toolchains: version === null ? [] : [{ tool: "dotnet", version, file: "global.json" }],
    checks: [
      check({
        name: "dotnet build",
        speed: "fast",
        reason: manifest,
        command: "dotnet build --nologo --verbosity quiet",
        needs: [dotnet],
      }),
      check({
        name: "dotnet test",
        speed: "slow",
        reason: manifest,
        command: "dotnet test --nologo",
        needs: [dotnet],
      }),
    ],
  };
}

/** Visual Studio builds it, and the .NET SDK cannot. */
const isOfCppAlone = (solution: string): boolean =>
  /\.vcx?proj"/iu.test(solution) && !/\.(?:cs|fs|vb)proj"/iu.test(solution);
