import type { Program, RealProject } from "../project.ts";

const python: Program = {
  name: "Python 3.9 or later with venv",
  probe: "python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))'",
  remedy: "apt-get install python3-venv",
};

const ignored = ".venv/\n__pycache__/\n*.egg-info/\nbuild/\n";

/** A virtual environment with exactly these packages, and the project itself as its user works on it. */
const installed = (packages: readonly string[], build: readonly string[] = ["setuptools==75.6.0"]): readonly string[] => [
  "python3 -m venv .venv",
  `.venv/bin/python -m pip install --quiet --no-deps ${[...packages, ...build].join(" ")}`,
  ".venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .",
];

const pytest = ["pytest==8.3.4", "iniconfig==2.0.0", "packaging==24.2", "pluggy==1.5.0"];

export const itsdangerous: RealProject = {
  name: "itsdangerous",
  language: "Python",
  shows: [],
  archive: {
    registry: "pypi",
    name: "itsdangerous",
    version: "2.2.0",
    sha256: "e0050c0b7da1eea53ffaf149c0cfbb5c6e2e2b69c4bef22c81fa6eb73e5f6173",
  },
  programs: [python],
  files: { ".gitignore": ignored },
  install: installed(
    [...pytest, "freezegun==1.5.1", "python-dateutil==2.9.0.post0", "six==1.17.0"],
    ["flit_core==3.10.1"],
  ),
  goal: "Say how long an encoded text becomes before it is encoded.",
  work: [
    {
      id: "length",
      title: "Add base64_length to itsdangerous.encoding",
      edits: [
        {
          path: "src/itsdangerous/encoding.py",
          from: "def base64_decode(",
          to: 'def base64_length(size: int) -> int:\n    """How many characters ``base64_encode`` makes of ``size`` bytes."""\n    return (size * 4 + 2) // 3\n\n\ndef base64_decode(',
        },
        {
          path: "tests/test_itsdangerous/test_encoding_length.py",
          content:
            "from __future__ import annotations\n\nimport pytest\n\nfrom itsdangerous.encoding import base64_encode\nfrom itsdangerous.encoding import base64_length\n\n\n@pytest.mark.parametrize(\"size\", range(12))\ndef test_base64_length(size: int) -> None:\n    assert base64_length(size) == len(base64_encode(b\"x\" * size))\n",
        },
      ],
      command: "python -m pytest -q tests/test_itsdangerous/test_encoding_length.py",
    },
  ],
  test: ".venv/bin/python -m pytest -q -rA",
  proof: /PASSED tests\/test_itsdangerous\/test_encoding_length\.py/u,
  checks: ["pytest"],
};
