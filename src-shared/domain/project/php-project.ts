import { parseJson, tableIn, textIn } from "./parse-text.ts";
import {
  check,
  type FoundCheck,
  firstOf,
  inRepository,
  type Need,
  type PartialFacts,
  type ProjectFolder,
  program,
} from "./project-facts.ts";

const php = program("php", "Install PHP, then check again.");
const composer = program("composer", "Install Composer, then check again.");
const vendored = (project: ProjectFolder, path: string): Need => ({
  name: path,
  probe: `test -e ${path}`,
  remedy: `Run \`composer install\` ${inRepository(project)}. Hox copies vendor into every workspace.`,
});

/** PHP: the scripts of composer.json, else PHPUnit and PHPStan by their settings. */
export function phpProject(project: ProjectFolder): PartialFacts | null {
  if (!project.has("composer.json")) return null;
  const manifest = parseJson(project.text("composer.json"));
  const scripts = Object.keys(tableIn(manifest, "scripts") ?? {});
  const version = textIn(manifest, "require", "php");
  const ofScript = (script: string, speed: FoundCheck["speed"]): FoundCheck =>
    check({
      name: script,
      speed,
      reason: `composer.json: scripts.${script}`,
      command: `composer run-script --no-interaction ${script}`,
      needs: [php, composer],
      hints: [vendored(project, "vendor/autoload.php")],
    });
  const stan = firstOf(project, ["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"]);
  const unit = firstOf(project, ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
  const fast = ["lint", "phpstan", "analyse", "analyze", "stan"].filter((name) => scripts.includes(name));
  return {
    languages: [{ name: "PHP", reason: "composer.json" }],
    packageManagers: [{ name: "Composer", reason: "composer.json" }],
    toolchains: version === null ? [] : [{ tool: "php", version, file: "composer.json" }],
    checks: [
      ...fast.map((script) => ofScript(script, "fast")),
      ...(stan !== undefined && fast.length === 0
        ? [
            check({
              name: "phpstan",
              speed: "fast",
              reason: stan,
              command: "php vendor/bin/phpstan analyse --no-progress",
              needs: [php, vendored(project, "vendor/bin/phpstan")],
            }),
          ]
        : []),
      ...(scripts.includes("test")
        ? [ofScript("test", "slow")]
        : unit === undefined
          ? []
          : [
              {
                name: "phpunit",
                speed: "slow" as const,
                everyNIterations: 2,
                reason: unit,
                ways: [
                  {
                    command: "php vendor/bin/phpunit",
                    needs: [php, vendored(project, "vendor/bin/phpunit")],
                  },
                  { command: "phpunit", needs: [program("phpunit", vendored(project, "").remedy)] },
                ],
                hints: [vendored(project, "vendor/autoload.php")],
              },
            ]),
    ],
  };
}
