import {
  type CheckWay,
  type Fact,
  type FoundCheck,
  firstOf,
  type Need,
  type PartialFacts,
  type ProjectFolder,
  program,
} from "./project-facts.ts";

/** Java and Kotlin with Maven or Gradle, both held to what their caches hold: commands have no network. */
export function jvmProject(project: ProjectFolder): PartialFacts | null {
  const gradle = firstOf(project, [
    "build.gradle.kts",
    "build.gradle",
    "settings.gradle.kts",
    "settings.gradle",
  ]);
  const maven = firstOf(project, ["pom.xml"]);
  const file = maven ?? gradle;
  if (file === undefined) return null;
  const isKotlin = project.files.some((path) => path.endsWith(".kt"));
  const language: Fact = { name: isKotlin ? "Kotlin" : "Java", reason: isKotlin ? "*.kt" : file };
  return {
    languages: [language],
    packageManagers: [{ name: maven === undefined ? "Gradle" : "Maven", reason: file }],
    workspaces: modulesOf(
      project,
      maven === undefined ? /\/build\.gradle(?:\.kts)?$/u : /\/pom\.xml$/u,
      file,
    ),
    checks: maven === undefined ? gradleChecks(project, file) : mavenChecks(project),
  };
}

const modulesOf = (project: ProjectFolder, manifest: RegExp, reason: string): readonly Fact[] =>
  project.files
    .filter((path) => manifest.test(path) && !/(?:^|\/)(?:src|target|build)\//u.test(path))
    .map((path) => ({ name: path.replace(manifest, ""), reason }));

const found = (
  name: string,
  speed: FoundCheck["speed"],
  reason: string,
  ways: readonly CheckWay[],
): FoundCheck => ({ name, speed, everyNIterations: 3, reason, ways, hints: [] });

function mavenChecks(project: ProjectFolder): readonly FoundCheck[] {
  const wrapper: Need = {
    name: "mvnw",
    probe: "sh ./mvnw --offline --version",
    remedy: "Run `./mvnw --version` once outside Hox, so that it fetches its Maven; or install Maven.",
  };
  const ways = (args: string): readonly CheckWay[] => [
    ...(project.has("mvnw") ? [{ command: `sh ./mvnw ${args}`, needs: [wrapper] }] : []),
    { command: `mvn ${args}`, needs: [program("mvn", "Install Maven, then check again.")] },
  ];
  return [
    found("mvn test-compile", "fast", "pom.xml", ways("-B -q -o test-compile")),
    found("mvn test", "slow", "pom.xml", ways("-B -o --fail-at-end test")),
  ];
}

function gradleChecks(project: ProjectFolder, reason: string): readonly FoundCheck[] {
  const wrapper: Need = {
    name: "gradlew",
    probe: "sh ./gradlew --offline --version",
    remedy: "Run `./gradlew --version` once outside Hox, so that it fetches its Gradle; or install Gradle.",
  };
  const ways = (args: string): readonly CheckWay[] => [
    ...(project.has("gradlew") ? [{ command: `sh ./gradlew ${args}`, needs: [wrapper] }] : []),
    { command: `gradle ${args}`, needs: [program("gradle", "Install Gradle, then check again.")] },
  ];
  const options = "--offline --no-daemon --console=plain";
  return [
    found("gradle testClasses", "fast", reason, ways(`${options} -q testClasses`)),
    found("gradle test", "slow", reason, ways(`${options} --continue test`)),
  ];
}
