import { expect, test } from "vitest";
import { toolCacheReason } from "./tool-caches.ts";

test("tools' caches are recognised at any depth, and a project's own files are not", () => {
  const caches = {
    ".pytest_cache/.gitignore": "cache of pytest",
    "packages/app/.mypy_cache/3.12/a.json": "cache of mypy",
    "src/app/__pycache__/app.cpython-312.pyc": "compiled by Python",
    "crates/one/target/debug/deps/one.d": "built by cargo",
    "target/CACHEDIR.TAG": "built by cargo",
    ".coverage": "data of coverage.py",
    ".coverage.host.1": "data of coverage.py",
    "src/one.egg-info/PKG-INFO": "an editable pip installation",
    ".venv/bin/python": "packages of a virtual environment",
    "packages/app/.venv/.gitignore": "packages of a virtual environment",
    "node_modules/pad/index.js": "installed packages",
    "web/tsconfig.tsbuildinfo": "state of the TypeScript compiler",
  };
  for (const [path, reason] of Object.entries(caches))
    expect([path, toolCacheReason(path)]).toEqual([path, reason]);
  for (const path of [
    ...[".coveragerc", "src/target/debug.ts", "target/readme.md", "tests/fixtures/node_modules/pad/index.js"],
    ...["docs/__pycache__.md", "build/app.js", "venv/notes.md", "a.egg-info", "pytest_cache/a", "_buildx/a"],
  ])
    expect([path, toolCacheReason(path)]).toEqual([path, null]);
});
