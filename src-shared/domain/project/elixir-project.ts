import { check, inRepository, type PartialFacts, type ProjectFolder, program } from "./project-facts.ts";

const mix = program("mix", "Install Elixir, then check again.");

/** Elixir: `mix compile` and `mix test`. */
export function elixirProject(project: ProjectFolder): PartialFacts | null {
  if (!project.has("mix.exs")) return null;
  const remedy = `Run \`mix deps.get\` ${inRepository(project)}. Hox copies deps into every workspace.`;
  const hints = project.has("mix.lock") ? [{ name: "deps", probe: "test -d deps", remedy }] : [];
  return {
    languages: [{ name: "Elixir", reason: "mix.exs" }],
    packageManagers: [{ name: "Mix", reason: "mix.exs" }],
    checks: [
      check({
        name: "mix compile",
        speed: "fast",
        reason: "mix.exs",
        command: "mix compile",
        needs: [mix],
        hints,
      }),
      ...(project.has(".credo.exs")
        ? [
            check({
              name: "credo",
              speed: "fast" as const,
              reason: ".credo.exs",
              command: "mix credo",
              needs: [mix],
              hints,
            }),
          ]
        : []),
      check({ name: "mix test", speed: "slow", reason: "mix.exs", command: "mix test", needs: [mix], hints }),
    ],
  };
}
