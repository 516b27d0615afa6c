import type { Program, RealProject } from "../project.ts";

const python: Program = {
  name: "Python 3.9 or later with venv and pip",
  probe: "python3 -c 'import sys, venv, pip; sys.exit(sys.version_info < (3, 9))'",
  remedy: "apt-get install python3-venv python3-pip",
};

const ignored = ".venv/\n__pycache__/\n*.egg-info/\nbuild/\n";

/** A virtual environment with exactly these packages, and the project itself as its user works on it. */
const installed = (
  packages: readonly string[],
  build: readonly string[] = ["setuptools==75.6.0"],
): readonly string[] => [
  "python3 -m venv --without-pip .venv",
  `python3 -m pip --python .venv install --quiet --no-deps ${[...packages, ...build].join(" ")}`,
  "python3 -m pip --python .venv install --quiet --no-deps --no-build-isolation --editable .",
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
            'from __future__ import annotations\n\nimport pytest\n\nfrom itsdangerous.encoding import base64_encode\nfrom itsdangerous.encoding import base64_length\n\n\n@pytest.mark.parametrize("size", range(12))\ndef test_base64_length(size: int) -> None:\n    assert base64_length(size) == len(base64_encode(b"x" * size))\n',
        },
      ],
      command: "python -m pytest -q tests/test_itsdangerous/test_encoding_length.py",
    },
  ],
  test: ".venv/bin/python -m pytest -q -rA",
  proof: /PASSED tests\/test_itsdangerous\/test_encoding_length\.py/u,
  checks: ["pytest"],
};

export const six: RealProject = {
  name: "six",
  language: "Python",
  shows: [],
  archive: {
    registry: "pypi",
    name: "six",
    version: "1.17.0",
    sha256: "ff70335d468e7eb6ec65b95b99d3a2836546063f63acc5171de367e834932a81",
  },
  programs: [python],
  files: { ".gitignore": ignored },
  install: installed(pytest),
  goal: "Take text or bytes apart into lines of text.",
  work: [
    {
      id: "lines",
      title: "Add ensure_lines",
      edits: [
        {
          path: "six.py",
          from: "def python_2_unicode_compatible(klass):",
          to: 'def ensure_lines(s, encoding="utf-8", errors="strict"):\n    """The lines of a text or of bytes, as text."""\n    return ensure_text(s, encoding, errors).splitlines()\n\n\ndef python_2_unicode_compatible(klass):',
        },
        {
          path: "test_ensure_lines.py",
          content:
            'import six\n\n\ndef test_ensure_lines():\n    assert six.ensure_lines(b"one\\ntwo") == [u"one", u"two"]\n    assert six.ensure_lines(u"") == []\n',
        },
      ],
      command: "python -m pytest -q test_ensure_lines.py",
    },
  ],
  test: ".venv/bin/python -m pytest -q -rA",
  proof: /PASSED test_ensure_lines\.py/u,
  checks: ["pytest"],
};

export const waitress: RealProject = {
  name: "waitress",
  language: "Python",
  shows: ["localhost"],
  archive: {
    registry: "pypi",
    name: "waitress",
    version: "3.0.2",
    sha256: "682aaaf2af0c44ada4abfb70ded36393f0e307f4ab9456a215ce0020baefc31f",
  },
  programs: [python],
  files: { ".gitignore": `${ignored}.coverage*\n` },
  install: installed([...pytest, "pytest-cov==6.0.0", "coverage==7.6.10"]),
  goal: "Tell how long ago a date of HTTP was.",
  work: [
    {
      id: "age",
      title: "Add http_date_age to waitress.utilities",
      edits: [
        {
          path: "src/waitress/utilities.py",
          from: "def undquote(value):",
          to: 'def http_date_age(d, now):\n    """Seconds from a date of HTTP to ``now``; None where it is no date."""\n    when = parse_http_date(d)\n    return None if when == 0 else max(0, int(now) - when)\n\n\ndef undquote(value):',
        },
        {
          path: "tests/test_http_date_age.py",
          content:
            'import unittest\n\n\nclass TestHttpDateAge(unittest.TestCase):\n    def _call(self, *args):\n        from waitress.utilities import http_date_age\n\n        return http_date_age(*args)\n\n    def test_age(self):\n        from waitress.utilities import build_http_date\n\n        self.assertEqual(self._call(build_http_date(1000), 1042), 42)\n        self.assertEqual(self._call(build_http_date(1000), 900), 0)\n\n    def test_no_date(self):\n        self.assertIsNone(self._call("yesterday", 1000))\n',
        },
      ],
      command: "python -m pytest -q --no-cov tests/test_http_date_age.py",
    },
  ],
  test: ".venv/bin/python -m pytest -rA",
  proof: /PASSED tests\/test_http_date_age\.py/u,
  checks: ["pytest"],
};

export const argon2: RealProject = {
  name: "argon2-cffi",
  language: "Python",
  shows: ["native"],
  archive: {
    registry: "pypi",
    name: "argon2-cffi",
    version: "23.1.0",
    sha256: "879c3e79a2729ce768ebb7d36d4609e3a78a4ca2ec3a9f12286ca057e3d0db08",
  },
  programs: [python],
  files: { ".gitignore": `${ignored}.hypothesis/\n` },
  install: installed(
    [
      ...pytest,
      ...["argon2-cffi-bindings==21.2.0", "cffi==1.17.1", "pycparser==2.22"],
      ...["hypothesis==6.122.3", "attrs==24.3.0", "sortedcontainers==2.4.0"],
    ],
    [
      ...["hatchling==1.27.0", "hatch-vcs==0.4.0", "hatch-fancy-pypi-readme==24.1.0", "pathspec==0.12.1"],
      ...[
        "setuptools-scm==8.1.0",
        "setuptools==75.6.0",
        "trove-classifiers==2024.10.21.16",
        "editables==0.5",
      ],
    ],
  ),
  goal: "Tell which kind of hash a text is without the key.",
  work: [
    {
      id: "kind",
      title: "Add is_argon2_hash",
      edits: [
        {
          path: "src/argon2/_looks.py",
          content:
            '# SPDX-License-Identifier: MIT\n\nfrom __future__ import annotations\n\nfrom ._utils import extract_parameters\nfrom .exceptions import InvalidHashError\n\n\ndef is_argon2_hash(text: str) -> bool:\n    """\n    Whether *text* can be verified as a hash of Argon2.\n    """\n    try:\n        extract_parameters(text)\n    except (InvalidHashError, ValueError):\n        return False\n    return True\n',
        },
        {
          path: "tests/test_looks.py",
          content:
            'from __future__ import annotations\n\nfrom argon2 import PasswordHasher\nfrom argon2._looks import is_argon2_hash\n\n\nclass TestIsArgon2Hash:\n    def test_real_hash(self):\n        """\n        What the native library made is a hash, and other text is none.\n        """\n        assert is_argon2_hash(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("x"))\n        assert not is_argon2_hash("$2b$12$abc")\n',
        },
      ],
      command: "python -m pytest -q tests/test_looks.py",
    },
  ],
  test: ".venv/bin/python -m pytest -rA",
  proof: /PASSED tests\/test_looks\.py/u,
  checks: ["pytest"],
};
