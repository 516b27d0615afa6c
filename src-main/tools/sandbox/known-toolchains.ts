/** Where language tools keep programs and packages below a home folder, and where among them they keep keys. */
import { javascriptToolchains } from "./javascript-toolchains.ts";
import { pythonToolchains } from "./python-toolchains.ts";
import { below, npmSettings, type SupportedToolchain } from "./toolchain-interface.ts";

export const supportedToolchains: readonly SupportedToolchain[] = [
  // Rust. `.cargo` itself holds the token of a registry, in two files; its settings are copied without.
  {
    variables: ["RUSTUP_HOME"],
    folders: [".rustup"],
    shown: [""],
    environment: { RUSTUP_HOME: "$" },
  },
  {
    variables: ["CARGO_HOME"],
    folders: [".cargo"],
    shown: ["bin", "registry", "git", "env"],
    caches: ["registry", "git"],
    programs: ["bin"],
    environment: { CARGO_HOME: "$" },
  },
  ...pythonToolchains,
  ...javascriptToolchains,
  // Go.
  { variables: ["GOROOT"], folders: [".local/go", ".go"], shown: [""], programs: ["bin"] },
  { folders: ["sdk", ".gvm"], shown: ["go*", "gos"] },
  { variables: ["GOPATH"], folders: ["go"], shown: ["bin", "pkg"], programs: ["bin"] },
  {
    variables: ["GOMODCACHE"],
    folders: ["go/pkg/mod"],
    shown: [""],
    caches: [""],
    environment: { GOMODCACHE: "$" },
  },
  // Java and Kotlin.
  {
    variables: ["SDKMAN_DIR"],
    folders: [".sdkman"],
    shown: ["candidates"],
    programs: ["candidates/*/current/bin"],
    environment: { SDKMAN_DIR: "$" },
  },
  { variables: ["JAVA_HOME"], folders: [], shown: [""], programs: ["bin"], environment: { JAVA_HOME: "$" } },
  { folders: [".jdks"], shown: [""] },
  {
    folders: [".m2"],
    shown: ["repository", "wrapper"],
    caches: ["repository", "wrapper"],
    environment: { MAVEN_OPTS: "-Dmaven.repo.local=$/repository" },
    inHome: { ".m2/wrapper": "$/wrapper" },
  },
  {
    variables: ["GRADLE_USER_HOME"],
    folders: [".gradle"],
    shown: ["caches", "wrapper", "jdks", "native"],
    caches: ["wrapper"],
    // Gradle writes beside its caches as well, so it has a folder of its own in HOME and reads this one too.
    environment: { GRADLE_RO_DEP_CACHE: "$/caches" },
    inHome: { ".gradle/wrapper": "$/wrapper" },
  },
  // Ruby.
  {
    variables: ["RBENV_ROOT"],
    folders: [".rbenv"],
    shown: [""],
    programs: ["shims", "bin"],
    environment: { RBENV_ROOT: "$" },
  },
  {
    variables: ["rvm_path"],
    folders: [".rvm"],
    shown: ["rubies", "gems", "bin", "scripts", "wrappers", "environments", "config", "VERSION"],
    programs: ["bin"],
  },
  { folders: [".rubies", ".gem/ruby", ".local/share/gem/ruby"], shown: [""] },
  // PHP, Elixir, .NET.
  {
    variables: ["COMPOSER_HOME"],
    folders: [".config/composer", ".composer"],
    shown: ["vendor"],
    hidden: ["vendor/auth.json"],
    programs: ["vendor/bin"],
  },
  {
    variables: ["COMPOSER_CACHE_DIR"],
    folders: [".cache/composer", ".composer/cache", "Library/Caches/composer"],
    shown: [""],
    caches: [""],
    layered: { COMPOSER_CACHE_DIR: "$" },
  },
  {
    variables: ["MIX_HOME"],
    folders: [".mix"],
    shown: [""],
    hidden: ["hex.config"],
    environment: { MIX_HOME: "$" },
  },
  {
    variables: ["HEX_HOME"],
    folders: [".hex"],
    shown: ["packages", "cache.ets"],
    caches: ["packages"],
    environment: { HEX_HOME: "$" },
  },
  {
    variables: ["NUGET_PACKAGES"],
    folders: [".nuget/packages"],
    shown: [""],
    caches: [""],
    environment: { NUGET_PACKAGES: "$" },
  },
  {
    variables: ["DOTNET_ROOT"],
    folders: [".dotnet"],
    shown: ["dotnet", "host", "packs", "sdk", "sdk-manifests", "shared", "templates", "tools"],
    programs: ["", "tools"],
    environment: { DOTNET_ROOT: "$" },
  },
  // Many languages.
  {
    variables: ["ASDF_DATA_DIR", "ASDF_DIR"],
    folders: [".asdf"],
    shown: [""],
    hidden: below("installs/nodejs/*", npmSettings),
    programs: ["shims", "bin"],
    environment: { ASDF_DATA_DIR: "$" },
  },
  {
    variables: ["MISE_DATA_DIR"],
    folders: [".local/share/mise"],
    shown: ["installs", "shims", "plugins"],
    hidden: below("installs/node/*", npmSettings),
    programs: ["shims"],
    environment: { MISE_DATA_DIR: "$" },
  },
  {
    variables: ["HOMEBREW_PREFIX"],
    folders: ["/opt/homebrew", "/home/linuxbrew/.linuxbrew", ".linuxbrew"],
    // Its `var` holds databases, and its `etc` the settings of servers.
    shown: [
      ...["bin", "sbin", "lib", "libexec", "include", "share", "opt", "Cellar", "Caskroom", "Frameworks"],
      ...["etc/ca-certificates", "etc/openssl@*", "etc/fonts", "etc/php"],
    ],
    hidden: ["lib/node_modules/npm/npmrc"],
    programs: ["bin", "sbin"],
  },
  { folders: [".ghcup"], shown: ["bin", "ghc", "cabal", "hls"], programs: ["bin"] },
  { folders: [".opam"], shown: [""] },
  { folders: [".nix-profile"], shown: [""], programs: ["bin"] },
  // Versions that the person chose for all their projects; names and numbers, nothing else.
  { folders: [".tool-versions", ".python-version", ".ruby-version", ".nvmrc", ".node-version"], shown: [""] },
];

/** Programs here are a person's own: of their scripts nobody knows what they hold, so only what is built is shown. */
export const ownPrograms = ".local/bin";
