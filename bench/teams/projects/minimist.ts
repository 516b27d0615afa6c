import type { Feature, TeamProject } from "../feature.ts";

const test = (name: string, body: string): Feature["test"] => ({
  path: `test/${name}.js`,
  content: `'use strict';\n\nvar parse = require('../');\nvar test = require('tape');\n\ntest('${name}', function (t) {\n${body}\n\tt.end();\n});\n`,
});

/** Something that happens to a value before it is stored: all of them meet at the same line. */
const onValue = (option: string, title: string, asks: string, code: string, body: string): Feature => ({
  id: option,
  title,
  asks,
  edits: [
    {
      path: "index.js",
      from: "\t\tsetKey(argv, key.split('.'), value);\n",
      to: `${code}\t\tsetKey(argv, key.split('.'), value);\n`,
    },
    {
      path: "README.md",
      from: "* `opts.stopEarly` - ",
      to: `* \`opts.${option}\` - ${asks}\n* \`opts.stopEarly\` - `,
    },
  ],
  test: test(option, body),
});

const trim = onValue(
  "trim",
  "Trim values on request",
  "with `opts.trim` texts of options are stored without spaces at both ends",
  "\t\tif (opts.trim && typeof value === 'string') { value = value.trim(); }\n",
  "\tt.equal(parse(['--a', ' b '], { trim: true }).a, 'b');\n\tt.equal(parse(['--a', ' b ']).a, ' b ');",
);
const coerce = onValue(
  "coerce",
  "Let a function make the value",
  "`opts.coerce` maps names to functions that get the parsed value and return the one to store",
  "\t\tif (opts.coerce && opts.coerce[key]) { value = opts.coerce[key](value); }\n",
  "\tvar argv = parse(['--a', '3', '--b', '3'], { coerce: { a: function (x) { return x * 2; } } });\n\tt.equal(argv.a, 6);\n\tt.equal(argv.b, 3);",
);
const choices = onValue(
  "choices",
  "Refuse values that are no choice",
  "`opts.choices` maps names to arrays of allowed values; any other throws a RangeError that names option and value",
  "\t\tif (opts.choices && opts.choices[key] && opts.choices[key].indexOf(value) < 0) {\n\t\t\tthrow new RangeError('--' + key + ' may not be ' + value);\n\t\t}\n",
  "\tt.equal(parse(['--a', 'x'], { choices: { a: ['x'] } }).a, 'x');\n\tt.throws(function () { parse(['--a', 'z'], { choices: { a: ['x'] } }); }, /may not be z/);",
);
const lower = onValue(
  "lower",
  "Store values in lower case",
  "`opts.lower` is an array of names whose texts are stored in lower case",
  "\t\tif ([].concat(opts.lower).indexOf(key) >= 0) { value = String(value).toLowerCase(); }\n",
  "\tvar argv = parse(['--a', 'Xy', '--b', 'Xy'], { lower: ['a'] });\n\tt.equal(argv.a, 'xy');\n\tt.equal(argv.b, 'Xy');",
);

const binary: Feature = {
  id: "binary",
  title: "Read binary and octal numbers",
  asks: "`0b101` and `0o17` are numbers, as `0x1f` is",
  edits: [
    {
      path: "index.js",
      from: "\tif ((/^0x[0-9a-f]+$/i).test(x)) { return true; }\n",
      to: "\tif ((/^0x[0-9a-f]+$/i).test(x)) { return true; }\n\tif ((/^0(?:b[01]+|o[0-7]+)$/i).test(x)) { return true; }\n",
    },
  ],
  test: test("binary", "\tt.equal(parse(['--a', '0b101']).a, 5);\n\tt.equal(parse(['--a', '0o17']).a, 15);"),
};
const infinite: Feature = {
  id: "infinite",
  title: "Read Infinity as a number",
  asks: "`Infinity`, `+Infinity` and `-Infinity` are numbers",
  edits: [
    {
      path: "index.js",
      from: "\tif ((/^0x[0-9a-f]+$/i).test(x)) { return true; }\n",
      to: "\tif ((/^0x[0-9a-f]+$/i).test(x)) { return true; }\n\tif ((/^[-+]?Infinity$/).test(x)) { return true; }\n",
    },
  ],
  test: test(
    "infinite",
    "\tt.equal(parse(['--a', 'Infinity']).a, Infinity);\n\tt.equal(parse(['--a=-Infinity']).a, -Infinity);",
  ),
};
const unique: Feature = {
  id: "unique",
  title: "Keep repeated values once",
  asks: "with `opts.unique` a value that an option already has is not stored a second time",
  edits: [
    {
      path: "index.js",
      from: "\t\tif (o[lastKey] === undefined || flags.bools",
      to: "\t\tif (opts.unique && [].concat(o[lastKey]).indexOf(value) >= 0) { return; }\n\t\tif (o[lastKey] === undefined || flags.bools",
    },
  ],
  test: test(
    "unique",
    "\tt.deepEqual(parse(['--a', 'x', '--a', 'y', '--a', 'x'], { unique: true }).a, ['x', 'y']);\n\tt.equal(parse(['--a', 'x', '--a', 'x'], { unique: true }).a, 'x');",
  ),
};
const negate: Feature = {
  id: "negate",
  title: "Turn --no- off",
  asks: "with `opts.negate === false` an option `--no-a` is called `no-a` and does not negate `a`",
  edits: [
    {
      path: "index.js",
      from: "} else if ((/^--no-.+/)",
      to: "} else if (opts.negate !== false && (/^--no-.+/)",
    },
  ],
  test: test(
    "negate",
    "\tt.equal(parse(['--no-a'], { negate: false })['no-a'], true);\n\tt.equal(parse(['--no-a']).a, false);",
  ),
};
const camel: Feature = {
  id: "camel",
  title: "Add names in camel case",
  asks: "with `opts.camel` every option with hyphens in its name is also there in camel case",
  edits: [
    {
      path: "index.js",
      from: "\tif (opts['--']) {\n",
      to: "\tif (opts.camel) {\n\t\tObject.keys(argv).forEach(function (k) {\n\t\t\tvar name = k.replace(/-(\\w)/g, function (_, letter) { return letter.toUpperCase(); });\n\t\t\tif (k !== '_' && name !== k) { argv[name] = argv[k]; }\n\t\t});\n\t}\n\n\tif (opts['--']) {\n",
    },
  ],
  test: test(
    "camel",
    "\tt.equal(parse(['--a-bc', 'x'], { camel: true }).aBc, 'x');\n\tt.equal(parse(['--a-bc', 'x']).aBc, undefined);",
  ),
};

/** A module of its own beside the parser. */
const module = (
  id: string,
  title: string,
  asks: string,
  parts: readonly [string, string],
  body: string,
): Feature => ({
  id,
  title,
  asks,
  edits: [
    { path: `${id}.js`, content: `'use strict';\n\n${parts[0]}` },
    { path: `${id}.js`, from: parts[0], to: `${parts[0]}\n${parts[1]}` },
  ],
  test: {
    path: `test/${id}.js`,
    content: `'use strict';\n\nvar ${id} = require('../${id}');\nvar test = require('tape');\n\ntest('${id}', function (t) {\n${body}\n\tt.end();\n});\n`,
  },
});

const format = module(
  "format",
  "Write parsed options as arguments",
  "`format.js` exports a function that makes an array of arguments from a parsed object: `--name=value`, `--name` for true, `--no-name` for false, then `_`",
  [
    "function one(name, value) {\n\tif (value === true) { return '--' + name; }\n\treturn value === false ? '--no-' + name : '--' + name + '=' + value;\n}\n",
    "module.exports = function (argv) {\n\treturn Object.keys(argv)\n\t\t.filter(function (name) { return name !== '_'; })\n\t\t.map(function (name) { return one(name, argv[name]); })\n\t\t.concat(argv._ || []);\n};\n",
  ],
  "\tt.deepEqual(format({ a: 1, b: true, c: false, _: ['d'] }), ['--a=1', '--b', '--no-c', 'd']);",
);
const usage = module(
  "usage",
  "Describe options in a text",
  "`usage.js` exports a function that takes a map of names to descriptions and returns lines `  --name  description` with aligned descriptions",
  [
    "function padded(text, width) {\n\treturn text + new Array(width - text.length + 1).join(' ');\n}\n",
    "module.exports = function (options) {\n\tvar names = Object.keys(options);\n\tvar width = Math.max.apply(null, names.map(function (name) { return name.length; }));\n\treturn names.map(function (name) {\n\t\treturn '  --' + padded(name, width) + '  ' + options[name];\n\t}).join('\\n');\n};\n",
  ],
  "\tt.equal(usage({ a: 'one', bcd: 'two' }), '  --a    one\\n  --bcd  two');",
);
const environment = module(
  "environment",
  "Take defaults from the environment",
  "`environment.js` exports a function of an environment and a prefix that returns an object for `opts.default`: `APP_DRY_RUN` with the prefix `APP_` is `dry-run`",
  [
    "function optionName(name, prefix) {\n\treturn name.slice(prefix.length).toLowerCase().replace(/_/g, '-');\n}\n",
    "module.exports = function (env, prefix) {\n\tvar defaults = {};\n\tObject.keys(env).forEach(function (name) {\n\t\tif (name.indexOf(prefix) === 0) { defaults[optionName(name, prefix)] = env[name]; }\n\t});\n\treturn defaults;\n};\n",
  ],
  "\tt.deepEqual(environment({ APP_DRY_RUN: '1', PATH: 'x' }, 'APP_'), { 'dry-run': '1' });",
);

const ownFile: Feature = {
  id: "number-file",
  title: "Move isNumber to a file of its own",
  asks: "`isNumber` is in `number.js`, which exports it; `index.js` requires it",
  edits: [
    {
      path: "index.js",
      from: "'use strict';\n",
      to: "'use strict';\n\nvar isNumber = require('./number');\n",
    },
  ],
  move: {
    path: "index.js",
    from: "function isNumber(x) {",
    until: "function isConstructorOrProto(",
    into: "number.js",
    head: "'use strict';\n\n",
    tail: "\n\nmodule.exports = isNumber;\n",
  },
  test: {
    path: "test/number_file.js",
    content:
      "'use strict';\n\nvar isNumber = require('../number');\nvar test = require('tape');\n\ntest('number file', function (t) {\n\tt.ok(isNumber('0x1f'));\n\tt.notOk(isNumber('x'));\n\tt.end();\n});\n",
  },
};

export const minimist: TeamProject = {
  name: "minimist",
  language: "JavaScript",
  archive: {
    registry: "npm",
    name: "minimist",
    version: "1.2.8",
    sha256: "350a76c115b393c19d24654834261e5dc9f0e8cc5e08f3937fa80140f3e4ce83",
  },
  programs: [{ name: "npm", remedy: "Install Node.js with npm." }],
  files: {
    ".gitignore": "node_modules/\n",
    ".hox/config.toml":
      '[backpressure]\nfast_checks = ["node_modules/.bin/tape test/*.js"]\nslow_checks = []\n',
  },
  install: [
    "npm pkg delete devDependencies scripts",
    "npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --before 2025-06-01 --save-dev --save-exact tape@4.0.0",
  ],
  testOne: (path) => `node ${path}`,
  testAll: "node_modules/.bin/tape test/*.js",
  prepare: 'ln -s "$ROOT/node_modules" node_modules',
  sets: [
    { name: "apart", meets: "other files", features: [binary, format, usage, environment] },
    { name: "places", meets: "one file, other places", features: [unique, negate, camel, binary] },
    { name: "lines", meets: "the same lines", features: [trim, coerce, choices, lower] },
    { name: "moved", meets: "a moved block that others edit", features: [ownFile, binary, infinite, unique] },
  ],
};
