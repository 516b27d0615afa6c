import { below, npmSettings, type SupportedToolchain } from "./toolchain-interface.ts";

const conda = ["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"];

export const pythonToolchains: readonly SupportedToolchain[] = [
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
  // Virtual environments that stand outside their projects.
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
