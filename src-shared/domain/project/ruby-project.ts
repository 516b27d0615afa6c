import {
  type FoundCheck,
  firstOf,
  type Need,
  type PartialFacts,
  type ProjectFolder,
  program,
} from "./project-facts.ts";

/** Ruby: RSpec, Rails' or Rake's tests, RuboCop, each through Bundler where there is a Gemfile. */
export function rubyProject(project: ProjectFolder): PartialFacts | null {
  const manifest =
    firstOf(project, ["Gemfile"]) ?? project.files.find((path) => /^[^/]+\.gemspec$/u.test(path));
  if (manifest === undefined) return null;
  const [, version] = /^[ \t]*ruby[ \t]+["']([^"'\n]+)["']/mu.exec(project.text("Gemfile")) ?? [];
  return {
    languages: [{ name: "Ruby", reason: manifest }],
    packageManagers: [{ name: project.has("Gemfile") ? "Bundler" : "RubyGems", reason: manifest }],
    toolchains: version === undefined ? [] : [{ tool: "ruby", version, file: "Gemfile" }],
    checks: [...style(project), ...tests(project)],
  };
}

const install =
  "Install its gems where commands can read them (`bundle config set --local path vendor/bundle && bundle install`), and name vendor/bundle in [workspace] caches.";

function through(
  project: ProjectFolder,
  found: { readonly name: string; readonly speed: FoundCheck["speed"]; readonly reason: string },
  command: string,
  tool: string,
): FoundCheck {
  const bundled: Need = { name: tool, probe: `bundle exec ${tool} --version`, remedy: install };
  return {
    ...found,
    everyNIterations: 2,
    hints: [],
    ways: [
      ...(project.has("Gemfile") ? [{ command: `bundle exec ${command}`, needs: [bundled] }] : []),
      { command, needs: [program(tool, install)] },
    ],
  };
}

const style = (project: ProjectFolder): readonly FoundCheck[] =>
  project.has(".rubocop.yml")
    ? [through(project, { name: "rubocop", speed: "fast", reason: ".rubocop.yml" }, "rubocop", "rubocop")]
    : [];

function tests(project: ProjectFolder): readonly FoundCheck[] {
  const hasSpecs = project.files.some((path) => /^spec\/.*_spec\.rb$/u.test(path));
  if (project.has(".rspec") || hasSpecs)
    return [
      through(
        project,
        { name: "rspec", speed: "slow", reason: project.has(".rspec") ? ".rspec" : "spec/" },
        "rspec",
        "rspec",
      ),
    ];
  const hasTests = project.files.some((path) => /^test\/.*\.rb$/u.test(path));
  if (!hasTests) return [];
  if (project.has("bin/rails"))
    return [
      through(
        project,
        { name: "rails test", speed: "slow", reason: "bin/rails, test/" },
        "rails test",
        "rails",
      ),
    ];
  return project.has("Rakefile")
    ? [through(project, { name: "rake test", speed: "slow", reason: "Rakefile, test/" }, "rake test", "rake")]
    : [];
}
