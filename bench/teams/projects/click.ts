import { itsdangerous as python } from "../../../e2e/real/projects/python.ts";
import { type Feature, insertBefore, type TeamProject } from "../feature.ts";

const source = (name: string): string => `src/click/${name}.py`;
const test = (name: string, imports: string, body: string): Feature["test"] => ({
  path: `tests/test_${name}.py`,
  content: `${imports}\n\n\ndef test_${name}${/capsys/u.test(body) ? "(capsys)" : "()"}:\n${body}`,
});

/** A parameter of `echo` that changes what is printed: all of them meet in the same lines. */
const parameter = (
  name: string,
  type: string,
  title: string,
  asks: string,
  code: string,
  body: string,
): Feature => ({
  id: `echo-${name}`,
  title,
  asks: `\`echo(${name}=…)\`: ${asks}`,
  edits: [
    insertBefore(
      source("utils"),
      ') -> None:\n    """Print a message and newline to stdout',
      `    ${name}: t.Optional[${type}] = None,\n`,
    ),
    insertBefore(
      source("utils"),
      "    .. versionchanged:: 6.0\n        Support Unicode output on the Windows console.",
      `    :param ${name}: ${title}.\n\n`,
    ),
    insertBefore(
      source("utils"),
      "    # Convert non bytes/text into the native string type.\n",
      `    if ${name} is not None and message is not None:\n        message = ${code}\n\n`,
    ),
  ],
  test: test(`echo_${name}`, "import click", body),
});

const prefix = parameter(
  "prefix",
  "str",
  "Print a prefix before the message",
  "this text goes in front of the message",
  'f"{prefix}{make_str(message)}"',
  '    click.echo("a", prefix="> ")\n    assert capsys.readouterr().out == "> a\\n"\n',
);
const suffix = parameter(
  "suffix",
  "str",
  "Print a suffix after the message",
  "this text follows the message, before the newline",
  'f"{make_str(message)}{suffix}"',
  '    click.echo("a", suffix="!")\n    assert capsys.readouterr().out == "a!\\n"\n',
);
const width = parameter(
  "width",
  "int",
  "Fill the message up to a width",
  "the message is filled with spaces up to this width",
  "make_str(message).ljust(width)",
  '    click.echo("a", width=3)\n    assert capsys.readouterr().out == "a  \\n"\n',
);
const replace = parameter(
  "replace",
  "t.Tuple[str, str]",
  "Replace a text in the message",
  "the first text of this pair is replaced by the second",
  "make_str(message).replace(*replace)",
  '    click.echo("a-b", replace=("-", "+"))\n    assert capsys.readouterr().out == "a+b\\n"\n',
);

const memoryViews: Feature = {
  id: "memory-views",
  title: "Make texts of memory views",
  asks: "`make_str` decodes a memoryview as it does bytes",
  edits: [
    insertBefore(
      source("utils"),
      "    if isinstance(value, bytes):\n        try:\n",
      "    if isinstance(value, memoryview):\n        value = value.tobytes()\n\n",
    ),
  ],
  test: test(
    "memory_views",
    "from click.utils import make_str",
    '    assert make_str(memoryview(b"abc")) == "abc"\n',
  ),
};
const lazyOpen: Feature = {
  id: "lazy-open",
  title: "Say whether a lazy file is open",
  asks: "property `LazyFile.is_open`: whether its file was opened and not closed",
  edits: [
    insertBefore(
      source("utils"),
      "    def close_intelligently(self) -> None:\n",
      '    @property\n    def is_open(self) -> bool:\n        """Whether the file was opened and not closed since."""\n        return self._f is not None and not self._f.closed\n\n',
    ),
  ],
  test: test(
    "lazy_open",
    "from click.utils import LazyFile",
    "    lazy = LazyFile(__file__)\n    lazy.open()\n    assert lazy.is_open\n    lazy.close()\n    assert not lazy.is_open\n",
  ),
};
const sizes: Feature = {
  id: "sizes",
  title: "Format sizes of files",
  asks: "`utils.format_size(size)`: `512 B`, `1.5 kB`, `2.0 MB` and so on, by thousands, up to TB",
  edits: [
    insertBefore(
      source("utils"),
      "def format_filename(",
      'def format_size(size: float) -> str:\n    """A number of bytes in the largest unit that is not above it."""\n    if size < 1000:\n        return f"{size:.0f} B"\n\n    for unit in ("kB", "MB", "GB"):\n        size /= 1000\n        if size < 1000:\n            return f"{size:.1f} {unit}"\n\n    return f"{size / 1000:.1f} TB"\n\n\n',
    ),
  ],
  test: test(
    "sizes",
    "from click.utils import format_size",
    '    found = [format_size(size) for size in (512, 1500, 2_000_000, 3e12)]\n    assert found == ["512 B", "1.5 kB", "2.0 MB", "3.0 TB"]\n',
  ),
};
const cacheFolder: Feature = {
  id: "cache-folder",
  title: "Name the folder for an application's cache",
  asks: "`utils.get_cache_dir(app_name)`: below `XDG_CACHE_HOME`, by default `~/.cache`, in the POSIX spelling of the name",
  edits: [
    insertBefore(
      source("utils"),
      "class PacifyFlushWrapper:",
      'def get_cache_dir(app_name: str) -> str:\n    """The folder for what an application can make again."""\n    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")\n    return os.path.join(home, _posixify(app_name))\n\n\n',
    ),
  ],
  test: test(
    "cache_folder",
    "import os\n\nfrom click.utils import get_cache_dir",
    '    os.environ["XDG_CACHE_HOME"] = "/tmp/x"\n    assert get_cache_dir("Foo Bar") == "/tmp/x/foo-bar"\n    del os.environ["XDG_CACHE_HOME"]\n    assert get_cache_dir("a").endswith(".cache/a")\n',
  ),
};

const described: Feature = {
  id: "described",
  title: "Describe an exception as data",
  asks: "`ClickException.describe()` returns a dict with `error`, the name of the class, `message` and `exit_code`",
  edits: [
    insertBefore(
      source("exceptions"),
      '    def show(self, file: t.Optional[t.IO[t.Any]] = None) -> None:\n        if file is None:\n            file = get_text_stderr()\n\n        echo(\n            _("Error: {message}").format(message=self.format_message()),\n            file=file,\n            color=self.show_color,\n        )\n\n\nclass UsageError',
      '    def describe(self) -> t.Dict[str, t.Any]:\n        """What it says, for logs and replies."""\n        name = type(self).__name__\n        return {"error": name, "message": self.message, "exit_code": self.exit_code}\n\n',
    ),
  ],
  test: test(
    "described",
    "import click",
    '    found = click.UsageError("no").describe()\n    assert found == {"error": "UsageError", "message": "no", "exit_code": 2}\n',
  ),
};
const lists: Feature = {
  id: "lists",
  title: "Write lists into help pages",
  asks: "`HelpFormatter.write_list(items)` writes each item in a line with the current indent and `- `",
  edits: [
    insertBefore(
      source("formatting"),
      "    @contextmanager\n    def section(",
      '    def write_list(self, items: t.Iterable[str]) -> None:\n        """Writes a line for each item."""\n        for item in items:\n            self.write(f"{\'\':>{self.current_indent}}- {item}\\n")\n\n',
    ),
  ],
  test: test(
    "lists",
    "import click",
    '    formatter = click.HelpFormatter()\n    with formatter.indentation():\n        formatter.write_list(["a", "b"])\n    assert formatter.getvalue() == "  - a\\n  - b\\n"\n',
  ),
};
const contexts: Feature = {
  id: "contexts",
  title: "Say how deep the current context is",
  asks: "`globals.context_depth()`: how many contexts are on the stack, 0 outside of commands",
  edits: [
    insertBefore(
      source("globals"),
      "def resolve_color_default(",
      'def context_depth() -> int:\n    """How many contexts are on the stack."""\n    return len(getattr(_local, "stack", []))\n\n\n',
    ),
  ],
  test: test(
    "contexts",
    "import click\nfrom click.globals import context_depth",
    '    assert context_depth() == 0\n    with click.Context(click.Command("a")):\n        assert context_depth() == 1\n    assert context_depth() == 0\n',
  ),
};

/** Something that `measure_table` does to a cell: both meet at the same line. */
const cell = (id: string, title: string, asks: string, code: string, body: string): Feature => ({
  id,
  title,
  asks,
  edits: [insertBefore(source("formatting"), "            widths[idx] = max(", code)],
  test: test(id.replaceAll("-", "_"), "from click.formatting import measure_table", body),
});
const emptyCells = cell(
  "empty-cells",
  "Measure tables with empty cells",
  "`measure_table` takes None for a cell and counts it as no column of that row",
  "            if col is None:\n                continue\n\n",
  '    assert measure_table([("ab", None)]) == (2,)\n',
);
const spaces = cell(
  "trailing-spaces",
  "Measure cells without trailing spaces",
  "`measure_table` does not count spaces at the end of a cell",
  "            if isinstance(col, str):\n                col = col.rstrip()\n\n",
  '    assert measure_table([("a  ", "b")]) == (1, 1)\n',
);
const tableFile: Feature = {
  id: "table-file",
  title: "Move the measuring of tables to a module of its own",
  asks: "`measure_table` is in `_table.py`; `formatting.py` imports it from there",
  edits: [
    insertBefore(
      source("formatting"),
      "from .parser import split_opt\n",
      "from ._table import measure_table as measure_table\n",
    ),
  ],
  move: {
    path: source("formatting"),
    from: "def measure_table(",
    until: "def iter_rows(",
    into: source("_table"),
    head: "import typing as t\n\nfrom ._compat import term_len\n\n\n",
    tail: "\n",
  },
  test: test(
    "table_file",
    "from click import _table\nfrom click import formatting",
    "    assert formatting.measure_table is _table.measure_table\n",
  ),
};

export const click: TeamProject = {
  name: "click",
  language: "Python",
  archive: {
    registry: "pypi",
    name: "click",
    version: "8.1.8",
    sha256: "ed53c9d8990d83c2a27deae68e4ee337473f6330c040a31d4225c9574d16096a",
  },
  programs: python.programs,
  // Its tests need no more than the other project's, which have a date library besides.
  install: python.install ?? [],
  files: {
    ...python.files,
    ".hox/config.toml": '[backpressure]\nfast_checks = ["python -m pytest -q"]\nslow_checks = []\n',
  },
  testOne: (path) => `PYTHONPATH=src .venv/bin/python -m pytest -q ${path}`,
  testAll: "PYTHONPATH=src .venv/bin/python -m pytest -q -rf",
  prepare: 'ln -s "$ROOT/.venv" .venv',
  sets: [
    { name: "apart", meets: "other files", features: [memoryViews, described, lists, contexts] },
    {
      name: "places",
      meets: "one file, other places",
      features: [memoryViews, lazyOpen, sizes, cacheFolder],
    },
    { name: "lines", meets: "the same lines", features: [prefix, suffix, width, replace] },
    {
      name: "moved",
      meets: "a moved block that others edit",
      features: [tableFile, emptyCells, spaces, lists],
    },
  ],
};
