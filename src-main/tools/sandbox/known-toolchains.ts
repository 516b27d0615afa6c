/** Where language tools keep programs and packages below a home folder, and where among them they keep keys. */
import { below, npmSettings, type SupportedToolchain } from "./toolchain-interface.ts";

const conda = ["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"];

const pythonToolchains: readonly SupportedToolchain[] = [
  {
    variables: ["PYENV_ROOT"],
    folders: [".pyenv"],
    shown: [""],
    hidden: ["versions/*/pip.conf"],
    programs: ["shims", "bin"],
    environment: { PYENV_ROOT: "$" },
  },
  {
    variables: ["UV_PYTHON_INSTALL_DIR"],
    folders: [".local/share/uv/python"],
    shown: [""],
    environment: { UV_PYTHON_INSTALL_DIR: "$" },
  },
  { variables: ["UV_TOOL_DIR"], folders: [".local/share/uv/tools"], shown: [""] },
  {
    variables: ["UV_CACHE_DIR"],
    folders: [".cache/uv", "Library/Caches/uv"],
    shown: [""],
    caches: [""],
    layered: { UV_CACHE_DIR: "$" },
  },
  {
    variables: ["MAMBA_ROOT_PREFIX"],
    folders: [...conda, ".local/share/mamba", ...below("/opt", ["conda", ...conda])],
    shown: [""],
    hidden: [
      ".condarc",
      "condarc",
      "pkgs/urls",
      "pkgs/urls.txt",
      "pip.conf",
      "envs/*/pip.conf",
      ...npmSettings,
    ],
    programs: ["condabin"],
  },
  { folders: [".conda"], shown: ["envs", "pkgs"], hidden: ["pkgs/urls", "pkgs/urls.txt", "envs/*/pip.conf"] },
  {
    variables: ["PIPX_HOME"],
    folders: [".local/share/pipx", ".local/pipx"],
    shown: ["venvs", "shared", "py"],
    hidden: ["venvs/*/pip.conf", "shared/pip.conf"],
  },
  // Virtual environments outside their projects.
  {
    variables: ["POETRY_VIRTUALENVS_PATH"],
    folders: [".cache/pypoetry/virtualenvs", "Library/Caches/pypoetry/virtualenvs"],
    shown: [""],
    hidden: ["*/pip.conf"],
    environment: { POETRY_VIRTUALENVS_PATH: "$" },
  },
  { folders: [".local/share/pypoetry"], shown: ["venv", "python"], programs: ["venv/bin"] },
  {
    variables: ["WORKON_HOME"],
    folders: [".local/share/virtualenvs", ".virtualenvs"],
    shown: [""],
    hidden: ["*/pip.conf"],
    environment: { WORKON_HOME: "$" },
  },
  { folders: [".local/share/hatch"], shown: ["env", "pythons"] },
  { folders: [".local"], shown: ["lib/python3*"], environment: { PYTHONUSERBASE: "$" } },
];

const javascriptToolchains: readonly SupportedToolchain[] = [
  {
    variables: ["NVM_DIR"],
    folders: [".nvm", ".config/nvm"],
    shown: ["versions", "alias"],
    hidden: below("versions/node/*", npmSettings),
  },
  {
    variables: ["VOLTA_HOME"],
    folders: [".volta"],
    shown: ["bin", "tools", "layout.v4"],
    hidden: below("tools/image/node/*", npmSettings),
    programs: ["bin"],
    environment: { VOLTA_HOME: "$" },
  },
  {
    variables: ["FNM_DIR"],
    folders: [".local/share/fnm", ".fnm", "Library/Application Support/fnm"],
    shown: ["node-versions", "aliases"],
    hidden: below("node-versions/*/installation", npmSettings),
    programs: ["aliases/default/bin"],
  },
  {
    variables: ["PNPM_HOME"],
    folders: [".local/share/pnpm", "Library/pnpm"],
    shown: [""],
    hidden: ["rc", "auth.ini", ".npmrc", ...below("nodejs/*", npmSettings)],
    caches: ["store"],
    programs: ["", "bin"],
    environment: { PNPM_HOME: "$" },
    layered: { npm_config_store_dir: "$/store" },
  },
  {
    folders: [".npm"],
    shown: ["_cacache"],
    caches: ["_cacache"],
    inHome: { ".npm/_cacache": "$/_cacache" },
  },
  {
    folders: [".yarn"],
    shown: ["bin", "berry/cache"],
    caches: ["berry/cache"],
    programs: ["bin"],
    inHome: { ".yarn/berry/cache": "$/berry/cache" },
  },
  { folders: [".config/yarn/global"], shown: ["node_modules"], programs: ["node_modules/.bin"] },
  {
    variables: ["COREPACK_HOME"],
    folders: [".cache/node/corepack", "Library/Caches/node/corepack"],
    shown: [""],
    environment: { COREPACK_HOME: "$" },
  },
  {
    variables: ["BUN_INSTALL"],
    folders: [".bun"],
    shown: ["bin", "install/cache", "install/global"],
    caches: ["install/cache"],
    programs: ["bin"],
    layered: { BUN_INSTALL_CACHE_DIR: "$/install/cache" },
  },
  { variables: ["DENO_INSTALL"], folders: [".deno"], shown: ["bin"], programs: ["bin"] },
  {
    variables: ["DENO_DIR"],
    folders: [".cache/deno", "Library/Caches/deno"],
    shown: ["npm", "remote"],
    caches: ["npm", "remote"],
    inHome: { ".cache/deno/npm": "$/npm", ".cache/deno/remote": "$/remote" },
  },
  // What a package's install script fetched once for all projects.
  {
    variables: ["PLAYWRIGHT_BROWSERS_PATH"],
    folders: [".cache/ms-playwright", "Library/Caches/ms-playwright"],
    shown: [""],
    environment: { PLAYWRIGHT_BROWSERS_PATH: "$" },
  },
  {
    variables: ["CYPRESS_CACHE_FOLDER"],
    folders: [".cache/Cypress", "Library/Caches/Cypress"],
    shown: [""],
    environment: { CYPRESS_CACHE_FOLDER: "$" },
  },
  {
    variables: ["PUPPETEER_CACHE_DIR"],
    folders: [".cache/puppeteer"],
    shown: [""],
    environment: { PUPPETEER_CACHE_DIR: "$" },
  },
  {
    folders: [".cache/node-gyp", "Library/Caches/node-gyp"],
    shown: [""],
    environment: { npm_config_devdir: "$" },
  },
];

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
    // Gradle also writes outside its caches, so it has a separate folder in HOME and reads this one.
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
  // Versions that the user chose for all projects; only names and numbers.
  { folders: [".tool-versions", ".python-version", ".ruby-version", ".nvmrc", ".node-version"], shown: [""] },
];

/** The user's own programs: scripts there may contain anything, so only compiled ones are shown. */
export const ownPrograms = ".local/bin";
