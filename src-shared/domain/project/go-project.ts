import { check, firstOf, type PartialFacts, type ProjectFolder, program } from "./project-facts.ts";

const go = program("go", "Install Go, then look again.");

/** Go: `go vet`, which compiles tests as well, and `go test`. */
export function goProject(project: ProjectFolder): PartialFacts | null {
  if (!project.has("go.mod")) return null;
  const [, version] = /^go\s+(\S+)/mu.exec(project.text("go.mod")) ?? [];
  const [, toolchain] = /^toolchain\s+(\S+)/mu.exec(project.text("go.mod")) ?? [];
  const linter = firstOf(project, [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"]);
  return {
    languages: [{ name: "Go", reason: "go.mod" }],
    packageManagers: [{ name: "go modules", reason: "go.mod" }],
    toolchains:
      (toolchain ?? version) ? [{ tool: "go", version: toolchain ?? version ?? "", file: "go.mod" }] : [],
    checks: [
      check({ name: "go vet", speed: "fast", reason: "go.mod", command: "go vet ./...", needs: [go] }),
      ...(linter === undefined
        ? []
        : [
            check({
              name: "golangci-lint",
              speed: "fast",
              reason: linter,
              command: "golangci-lint run",
              needs: [go, program("golangci-lint", "Install golangci-lint, then look again.")],
            }),
          ]),
      check({ name: "go test", speed: "slow", reason: "go.mod", command: "go test ./...", needs: [go] }),
    ],
  };
}
