import type { Program, RealProject } from "../project.ts";

const cargo: Program = { name: "cargo", remedy: "Install Rust (rustup)." };
const go: Program = { name: "go", remedy: "apt-get install golang-go" };
const compiler: Program = { name: "gcc", remedy: "apt-get install gcc libc6-dev" };
const python: Program = { name: "python3", remedy: "apt-get install python3 libpython3-dev" };
const make: Program = { name: "make", remedy: "apt-get install make" };
const cmake: Program = { name: "cmake", remedy: "apt-get install cmake g++" };

export const semver: RealProject = {
  name: "semver",
  language: "Rust",
  // Its benchmarks take a nightly compiler, and cargo checks all targets.
  shows: ["red"],
  archive: {
    registry: "crates",
    name: "semver",
    version: "1.0.26",
    sha256: "56e6fa9c48d24d85fb3de5ad847117517440f6beceb7798af16b4a87d616b8d0",
  },
  programs: [cargo],
  files: { ".gitignore": "/target\n" },
  fetch: ["cargo fetch --quiet --locked"],
  goal: "Tell whether a version is before 1.0.0.",
  work: [
    {
      id: "unstable",
      title: "Add Version::is_unstable",
      edits: [
        {
          path: "src/lib.rs",
          from: "impl VersionReq {",
          to: "impl Version {\n    /// Whether nothing is promised of it yet: it is before 1.0.0.\n    pub const fn is_unstable(&self) -> bool {\n        self.major == 0\n    }\n}\n\nimpl VersionReq {",
        },
        {
          path: "Cargo.toml",
          from: '[[test]]\nname = "test_version"\n',
          to: '[[test]]\nname = "test_unstable"\npath = "tests/test_unstable.rs"\n\n[[test]]\nname = "test_version"\n',
        },
        {
          path: "tests/test_unstable.rs",
          content:
            "use semver::Version;\n\n#[test]\nfn test_is_unstable() {\n    assert!(Version::new(0, 9, 1).is_unstable());\n    assert!(!Version::new(1, 0, 0).is_unstable());\n}\n",
        },
      ],
      command: "cargo test --quiet --test test_unstable",
    },
  ],
  test: "cargo test --locked",
  proof: /test test_is_unstable \.\.\. ok/u,
  checks: ["cargo check", "cargo test"],
};

export const humantime: RealProject = {
  name: "humantime",
  language: "Rust",
  shows: [],
  archive: {
    registry: "crates",
    name: "humantime",
    version: "2.2.0",
    sha256: "9b112acc8b3adf4b107a8ec20977da0273a8c386765a3ec0229bd500a1443f9f",
  },
  programs: [cargo],
  files: { ".gitignore": "/target\n" },
  fetch: ["cargo fetch --quiet --locked"],
  goal: "Write a duration with its largest unit alone.",
  work: [
    {
      id: "rough",
      title: "Add format_rough",
      edits: [
        { path: "src/lib.rs", from: "mod wrapper;\n", to: "mod rough;\nmod wrapper;\n" },
        {
          path: "src/lib.rs",
          from: "pub use self::wrapper::{Duration, Timestamp};\n",
          to: "pub use self::rough::format_rough;\npub use self::wrapper::{Duration, Timestamp};\n",
        },
        {
          path: "src/rough.rs",
          content:
            'use std::time::Duration;\n\n/// The largest unit of a duration: "2h" of two hours and 37 minutes.\npub fn format_rough(val: Duration) -> String {\n    let text = crate::format_duration(val).to_string();\n    text.split(\' \').next().unwrap_or_default().to_string()\n}\n\n#[cfg(test)]\nmod test {\n    use super::format_rough;\n    use std::time::Duration;\n\n    #[test]\n    fn largest_unit() {\n        assert_eq!(format_rough(Duration::from_secs(9420)), "2h");\n        assert_eq!(format_rough(Duration::from_millis(32)), "32ms");\n    }\n}\n',
        },
      ],
      command: "cargo test --quiet largest_unit",
    },
  ],
  test: "cargo test --locked",
  proof: /test rough::test::largest_unit \.\.\. ok/u,
  checks: ["cargo check", "cargo test"],
};

export const jiter: RealProject = {
  name: "jiter",
  language: "Rust",
  // It denies lints that clippy has since learnt more of, and what needs the denied library is not looked at.
  shows: ["red", "unproven", "monorepo", "native"],
  archive: {
    registry: "pypi",
    name: "jiter",
    version: "0.8.2",
    sha256: "cd73d3e740666d0e639f678adb176fad25c1bcbdae88d8d7b857e1783bb4212d",
  },
  programs: [cargo, python],
  files: { ".gitignore": "/target\n", ".hox/config.toml": '[workspace]\ncaches = ["target"]\n' },
  // The lock file names a member that the archive has not: it goes, and no version moves.
  install: [
    "cargo test --quiet --workspace --no-run",
    "cargo check --quiet --workspace --all-targets",
    // It fails, and its dependencies are built before it says so.
    "cargo clippy --quiet --workspace --all-targets >/dev/null 2>&1 || true",
  ],
  fetch: ["cargo fetch --quiet --locked"],
  goal: "Tell how deep a value goes, and in the binding whether it is released.",
  work: [
    {
      id: "depth",
      title: "Add json_depth",
      edits: [
        { path: "crates/jiter/src/lib.rs", from: "mod errors;\n", to: "mod depth;\nmod errors;\n" },
        {
          path: "crates/jiter/src/lib.rs",
          from: "pub use errors::{JiterError,",
          to: "pub use depth::json_depth;\npub use errors::{JiterError,",
        },
        {
          path: "crates/jiter/src/depth.rs",
          content:
            "use crate::JsonValue;\n\n/// How many arrays and objects stand around the deepest value: 0 of a number.\npub fn json_depth(value: &JsonValue<'_>) -> usize {\n    match value {\n        JsonValue::Array(items) => 1 + items.iter().map(json_depth).max().unwrap_or(0),\n        JsonValue::Object(items) => 1 + items.iter().map(|(_, item)| json_depth(item)).max().unwrap_or(0),\n        _ => 0,\n    }\n}\n",
        },
        {
          path: "crates/jiter/tests/depth.rs",
          content:
            'use jiter::{json_depth, JsonValue};\n\n#[test]\nfn depth_of_nested_values() {\n    let value = JsonValue::parse(br#"{"a": [1, [2]], "b": 3}"#, false).unwrap();\n    assert_eq!(json_depth(&value), 3);\n    assert_eq!(json_depth(&JsonValue::parse(b"1", false).unwrap()), 0);\n}\n',
        },
      ],
      command: "cargo test --quiet --workspace --test depth",
    },
    {
      id: "released",
      title: "Add is_released to jiter-python",
      edits: [
        {
          path: "crates/jiter-python/src/lib.rs",
          from: "#[pyo3::pymodule(gil_used = false)]\n",
          to: "/// Whether the version is neither an alpha nor a beta.\npub fn is_released() -> bool {\n    !get_jiter_version().contains(['a', 'b'])\n}\n\n#[pyo3::pymodule(gil_used = false)]\n",
        },
        {
          path: "crates/jiter-python/tests/released.rs",
          content:
            'use jiter_python::{get_jiter_version, is_released};\n\n#[test]\nfn release_is_released() {\n    assert_eq!(get_jiter_version(), "0.8.2");\n    assert!(is_released());\n}\n',
        },
      ],
      command: "cargo test --quiet --workspace --test released",
    },
  ],
  test: "cargo test --locked --workspace",
  // Cargo runs them in the order of the members' names.
  proof: /test depth_of_nested_values \.\.\. ok[\s\S]*test release_is_released \.\.\. ok/u,
  checks: ["cargo check", "cargo test"],
};

export const lru: RealProject = {
  name: "golang-lru",
  language: "Go",
  shows: [],
  archive: {
    registry: "debian",
    name: "golang-github-hashicorp-golang-lru",
    version: "0.5.4-2",
    sha256: "d96f079d866a099fd8fe46a7181245cf46b91615c7759698ee2000d010b1a4c0",
  },
  programs: [go],
  goal: "Ask the cache for how much room it has left and what goes next.",
  work: [
    {
      id: "room",
      title: "Add Cache.Room",
      edits: [
        {
          path: "room.go",
          content:
            "package lru\n\n// Room answers how many of size keys can still be added before one has to go.\nfunc (c *Cache) Room(size int) int {\n\tif left := size - c.Len(); left > 0 {\n\t\treturn left\n\t}\n\treturn 0\n}\n",
        },
        {
          path: "room_test.go",
          content:
            'package lru\n\nimport "testing"\n\nfunc TestRoom(t *testing.T) {\n\tl, err := New(2)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tl.Add(1, 1)\n\tif got := l.Room(2); got != 1 {\n\t\tt.Errorf("room for one, not %d", got)\n\t}\n\tl.Add(2, 2)\n\tl.Add(3, 3)\n\tif got := l.Room(2); got != 0 {\n\t\tt.Errorf("no room, not %d", got)\n\t}\n}\n',
        },
      ],
      command: "go test -run TestRoom .",
    },
    {
      id: "oldest",
      title: "Add LRU.OldestKey",
      edits: [
        {
          path: "simplelru/oldest_key.go",
          content:
            "package simplelru\n\n// OldestKey answers the key that goes next, or nil where there is none.\nfunc (c *LRU) OldestKey() interface{} {\n\tkey, _, _ := c.GetOldest()\n\treturn key\n}\n",
        },
        {
          path: "simplelru/oldest_key_test.go",
          content:
            'package simplelru\n\nimport "testing"\n\nfunc TestOldestKey(t *testing.T) {\n\tl, err := NewLRU(2, nil)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif l.OldestKey() != nil {\n\t\tt.Error("nothing is the oldest of nothing")\n\t}\n\tl.Add(1, 1)\n\tl.Add(2, 2)\n\tif l.OldestKey() != 1 {\n\t\tt.Error("the first is the oldest")\n\t}\n}\n',
        },
      ],
      command: "go test -run TestOldestKey ./simplelru",
    },
  ],
  test: "go test -v ./...",
  proof: /--- PASS: TestRoom[\s\S]*--- PASS: TestOldestKey/u,
  checks: ["go vet", "go test"],
};

export const websocket: RealProject = {
  name: "gorilla-websocket",
  language: "Go",
  shows: ["localhost"],
  archive: {
    registry: "debian",
    name: "golang-github-gorilla-websocket",
    version: "1.5.0-2",
    sha256: "5d86f9e1c76ff7ceca0747f78b79864fbaec9d440f4fdb03197466e5102a86b0",
  },
  programs: [go],
  goal: "Tell whether a connection was closed as it should be.",
  work: [
    {
      id: "normal",
      title: "Add IsNormalClose",
      edits: [
        {
          path: "normal_close.go",
          content:
            "package websocket\n\n// IsNormalClose tells whether err says that the peer closed the connection as it should.\nfunc IsNormalClose(err error) bool {\n\treturn IsCloseError(err, CloseNormalClosure, CloseGoingAway)\n}\n",
        },
        {
          path: "normal_close_test.go",
          content:
            'package websocket\n\nimport (\n\t"net/http"\n\t"net/http/httptest"\n\t"strings"\n\t"testing"\n)\n\nfunc TestIsNormalClose(t *testing.T) {\n\tserver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n\t\tup := Upgrader{}\n\t\tconn, err := up.Upgrade(w, r, nil)\n\t\tif err != nil {\n\t\t\treturn\n\t\t}\n\t\tdefer conn.Close()\n\t\tconn.WriteMessage(CloseMessage, FormatCloseMessage(CloseNormalClosure, ""))\n\t}))\n\tdefer server.Close()\n\tconn, _, err := DefaultDialer.Dial(strings.Replace(server.URL, "http", "ws", 1), nil)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tdefer conn.Close()\n\tif _, _, err := conn.ReadMessage(); !IsNormalClose(err) {\n\t\tt.Errorf("closed by %v", err)\n\t}\n}\n',
        },
      ],
      command: "go test -run TestIsNormalClose .",
    },
  ],
  test: "go test -v ./...",
  proof: /--- PASS: TestIsNormalClose/u,
  checks: ["go vet", "go test"],
};

export const jansson: RealProject = {
  name: "jansson",
  language: "C",
  shows: [],
  archive: {
    registry: "debian",
    name: "jansson",
    version: "2.14-2",
    sha256: "c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b",
  },
  programs: [compiler, cmake],
  goal: "Ask a value for whether it holds nothing.",
  work: [
    {
      id: "empty",
      title: "Add json_is_empty",
      edits: [
        {
          path: "src/jansson.h",
          from: "int json_equal(const json_t *value1, const json_t *value2);\n",
          to: "int json_equal(const json_t *value1, const json_t *value2);\nint json_is_empty(const json_t *value);\n",
        },
        {
          path: "src/value.c",
          from: "int json_equal(const json_t *json1, const json_t *json2) {",
          to: "int json_is_empty(const json_t *json) {\n    if (json_is_object(json))\n        return json_object_size(json) == 0;\n    if (json_is_array(json))\n        return json_array_size(json) == 0;\n    return json == NULL || json_is_null(json);\n}\n\nint json_equal(const json_t *json1, const json_t *json2) {",
        },
        { path: "src/jansson.def", from: "    json_equal\n", to: "    json_equal\n    json_is_empty\n" },
        {
          path: "test/suites/api/test_empty.c",
          content:
            '#include "util.h"\n#include <jansson.h>\n\nstatic void run_tests() {\n    json_t *array = json_array();\n\n    if (!json_is_empty(array))\n        fail("an array without elements holds something");\n    json_array_append_new(array, json_true());\n    if (json_is_empty(array))\n        fail("an array with an element holds nothing");\n    json_decref(array);\n}\n',
        },
        {
          path: "CMakeLists.txt",
          from: "         test_equal\n",
          to: "         test_empty\n         test_equal\n",
        },
      ],
      command:
        "cmake -S . -B /tmp/try && cmake --build /tmp/try --parallel 2 && ctest --test-dir /tmp/try -R test_empty",
    },
  ],
  test: "cmake -S . -B build && cmake --build build --parallel 2 && ctest --test-dir build --output-on-failure",
  proof: /test_empty \.+ +Passed/u,
  checks: ["ctest"],
};

export const tinyxml2: RealProject = {
  name: "tinyxml2",
  language: "C++",
  shows: [],
  archive: {
    registry: "debian",
    name: "tinyxml2",
    version: "9.0.0+dfsg-3.1",
    sha256: "96510f47a5db537f70dff3e83dd71fd2180cbba4aa76c589a549467e7f34bc9b",
  },
  programs: [cmake, { name: "g++", remedy: "apt-get install g++" }],
  // Its repository tracks it in spite of its .gitignore, and its tests write next to it.
  install: ["git add --force resources/out/readme.txt"],
  goal: "Count the elements of a document.",
  work: [
    {
      id: "count",
      title: "Add CountElements",
      edits: [
        {
          path: "xmltest.cpp",
          from: '\tprintf ("\\nPass %d, Fail %d\\n", gPass, gFail);',
          to: '\t{\n\t\tXMLDocument doc;\n\t\tdoc.Parse( "<a><b/><b><c/></b></a>" );\n\t\tXMLTest( "Count elements", 4, CountElements( doc ) );\n\t}\n\n\tprintf ("\\nPass %d, Fail %d\\n", gPass, gFail);',
        },
        {
          path: "tinyxml2.h",
          from: "}\t// tinyxml2",
          to: "/// How many elements stand below a node.\ninline int CountElements( const XMLNode& node )\n{\n\tint count = 0;\n\tfor ( const XMLElement* one = node.FirstChildElement(); one; one = one->NextSiblingElement() ) {\n\t\tcount += 1 + CountElements( *one );\n\t}\n\treturn count;\n}\n\n}\t// tinyxml2",
        },
      ],
      command: "cmake -S . -B /tmp/try && cmake --build /tmp/try --parallel 2 && ctest --test-dir /tmp/try",
    },
  ],
  // Its `.gitignore` has no folder for a build.
  test: "cmake -S . -B ../build && cmake --build ../build --parallel 2 && ctest --test-dir ../build --verbose",
  proof: /\[pass\] Count elements/u,
  checks: ["ctest"],
};

export const httpParser: RealProject = {
  name: "http-parser",
  language: "C",
  shows: [],
  archive: {
    registry: "debian",
    name: "http-parser",
    version: "2.9.4-5",
    sha256: "467b9e30fd0979ee301065e70f637d525c28193449e1b13fbcb1b1fab3ad224f",
  },
  programs: [compiler, make],
  goal: "Tell whether a method may be repeated.",
  work: [
    {
      id: "idempotent",
      title: "Add http_method_is_safe",
      edits: [
        {
          path: "http_parser.h",
          from: "/* Return a string name of the given error */",
          to: "/* Whether a request with the method changes nothing */\nint http_method_is_safe(enum http_method m);\n\n/* Return a string name of the given error */",
        },
        {
          path: "http_parser.c",
          from: "const char *\nhttp_status_str (enum http_status s)",
          to: "int\nhttp_method_is_safe (enum http_method m)\n{\n  return m == HTTP_GET || m == HTTP_HEAD || m == HTTP_OPTIONS || m == HTTP_TRACE;\n}\n\nconst char *\nhttp_status_str (enum http_status s)",
        },
        {
          path: "test.c",
          from: '  printf("http_parser v%u.%u.%u (0x%06lx)\\n"',
          to: '  assert(http_method_is_safe(HTTP_GET));\n  assert(!http_method_is_safe(HTTP_POST));\n  printf("safe methods okay\\n");\n  printf("http_parser v%u.%u.%u (0x%06lx)\\n"',
        },
      ],
      command: "make test_g",
    },
  ],
  test: "make test",
  proof: /safe methods okay/u,
  checks: ["make test"],
};
