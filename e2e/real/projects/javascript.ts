import type { Program, RealProject } from "../project.ts";

const node: Program = { name: "npm", remedy: "Install Node.js with npm." };
const openssl: Program = { name: "openssl", remedy: "apt-get install openssl" };

/** Packages as they were on a day: those of the archive name ranges only. */
const installedAsOf = (day: string): string =>
  `npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --before ${day}`;

export const bl: RealProject = {
  name: "bl",
  language: "JavaScript",
  shows: [],
  archive: {
    registry: "npm",
    name: "bl",
    version: "6.0.16",
    sha256: "fa8759faa05a3d6f49c1930910c900803010bb45036d300ca51e5878409ed42b",
  },
  programs: [node],
  files: { ".gitignore": "node_modules/\n" },
  install: [installedAsOf("2025-06-01")],
  goal: "Answer the last byte of a list without a copy of it.",
  work: [
    {
      id: "last",
      title: "Add BufferList.last",
      edits: [
        {
          path: "BufferList.js",
          from: "BufferList.prototype.consume = function consume (bytes) {",
          to: "BufferList.prototype.last = function last () {\n  return this.length === 0 ? undefined : this.get(this.length - 1)\n}\n\nBufferList.prototype.consume = function consume (bytes) {",
        },
        {
          path: "BufferList.d.ts",
          from: "  readUIntLE: Buffer['readUIntLE'];\n",
          to: "  readUIntLE: Buffer['readUIntLE'];\n\n  /**\n   * The last byte, or undefined where there is none.\n   */\n  last(): number | undefined;\n",
        },
        {
          path: "test/last.js",
          content:
            "'use strict'\n\nconst tape = require('tape')\nconst { BufferList } = require('../')\n\ntape('last byte over several buffers', (t) => {\n  const bl = new BufferList()\n  t.equal(bl.last(), undefined)\n  bl.append(Buffer.from('ab'))\n  bl.append(Buffer.from('c'))\n  t.equal(bl.last(), 'c'.charCodeAt(0))\n  t.end()\n})\n",
        },
        {
          path: "test/test.js",
          from: "require('./isBufferList')\n",
          to: "require('./isBufferList')\nrequire('./last')\n",
        },
      ],
      command: "node test/last.js",
    },
  ],
  test: "npm test",
  proof: /last byte over several buffers/u,
  checks: ["test"],
};

export const stableStringify: RealProject = {
  name: "json-stable-stringify",
  language: "JavaScript",
  shows: [],
  archive: {
    registry: "npm",
    name: "json-stable-stringify",
    version: "1.0.1",
    sha256: "70e228b750bf40ab69dda437f284992f1ea4c4bf9e788dc7fc586a6956256150",
  },
  programs: [node],
  files: { ".gitignore": "node_modules/\n" },
  install: [installedAsOf("2025-06-01")],
  goal: "Compare two values by their texts.",
  work: [
    {
      id: "same",
      title: "Add isSame",
      edits: [
        {
          path: "same.js",
          content:
            "var stringify = require('./');\n\nmodule.exports = function (a, b, opts) {\n    return stringify(a, opts) === stringify(b, opts);\n};\n",
        },
        {
          path: "test/same.js",
          content:
            "var test = require('tape');\nvar isSame = require('../same');\n\ntest('same in any order', function (t) {\n    t.plan(2);\n    t.ok(isSame({ a: 1, b: 2 }, { b: 2, a: 1 }));\n    t.notOk(isSame({ a: 1 }, { a: 2 }));\n});\n",
        },
      ],
      command: "npx --no-install tape test/same.js",
    },
  ],
  test: "npm test",
  proof: /# same in any order/u,
  checks: ["test"],
};

export const inspect: RealProject = {
  name: "object-inspect",
  language: "JavaScript",
  // A function that is given to a variable has a name since ES2015.
  shows: ["red"],
  archive: {
    registry: "npm",
    name: "object-inspect",
    version: "1.2.0",
    sha256: "b1f6b3333b3c59501bae7f86520570574ab8f4ec365facd76e3ccf27836662e2",
  },
  programs: [node],
  files: { ".gitignore": "node_modules/\n" },
  install: [installedAsOf("2025-06-01")],
  goal: "Show a value in one line of a certain length.",
  work: [
    {
      id: "short",
      title: "Add inspectShort",
      edits: [
        {
          path: "short.js",
          content:
            "var inspect = require('./');\n\nmodule.exports = function (obj, length) {\n    var text = inspect(obj).replace(/\\s+/g, ' ');\n    return text.length > length ? text.slice(0, length - 3) + '...' : text;\n};\n",
        },
        {
          path: "test/short.js",
          content:
            "var short = require('../short');\nvar test = require('tape');\n\ntest('short form', function (t) {\n    t.plan(2);\n    t.equal(short([ 1, 2 ], 20), '[ 1, 2 ]');\n    t.equal(short([ 1, 2, 3, 4 ], 10), '[ 1, 2,...');\n});\n",
        },
      ],
      command: "npx --no-install tape test/short.js",
    },
  ],
  test: "npm test",
  proof: /# short form/u,
  checks: ["test"],
};

export const needle: RealProject = {
  name: "needle",
  language: "JavaScript",
  shows: ["red", "localhost"],
  archive: {
    registry: "npm",
    name: "needle",
    version: "3.3.1",
    sha256: "01d54c93b93f3780ddb74b1274d78736174b9a0fadbff63794101ac3340cecfe",
  },
  programs: [node, openssl],
  files: { ".gitignore": "node_modules/\n" },
  install: [
    installedAsOf("2025-06-01"),
    // Its repository has them and its archive has not.
    "mkdir -p test/keys && openssl req -x509 -nodes -newkey rsa:2048 -keyout test/keys/ssl.key -out test/keys/ssl.cert -days 36500 -subj /CN=localhost 2>/dev/null",
  ],
  goal: "Tell whether a status is a redirect, and use it in a test over localhost.",
  work: [
    {
      id: "redirects",
      title: "Add utils.is_redirect",
      edits: [
        {
          path: "lib/utils.js",
          from: "  is_stream: is_stream,\n",
          to: "  is_stream: is_stream,\n  is_redirect: function(status) { return status >= 300 && status < 400; },\n",
        },
        {
          path: "test/is_redirect_spec.js",
          content:
            "var should = require('should'),\n    http   = require('http'),\n    needle = require('./../'),\n    utils  = require('./../lib/utils');\n\ndescribe('utils.is_redirect over localhost', function() {\n  it('knows a redirect that was answered', function(done) {\n    var server = http.createServer(function(req, res) {\n      res.writeHead(302, { Location: '/elsewhere' });\n      res.end();\n    }).listen(0, 'localhost', function() {\n      needle.get('http://localhost:' + server.address().port, function(err, resp) {\n        server.close();\n        should.not.exist(err);\n        utils.is_redirect(resp.statusCode).should.equal(true);\n        utils.is_redirect(200).should.equal(false);\n        done();\n      });\n    });\n  });\n});\n",
        },
      ],
      command: "npx --no-install mocha test/is_redirect_spec.js",
    },
  ],
  test: "npm test",
  proof: /knows a redirect that was answered/u,
  checks: ["test"],
};
