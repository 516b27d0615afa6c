// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that are looked into
import { installation } from "../../../src-shared/domain/dependencies/install-command.ts";
import {
  type PackageManager,
  packageManagers,
  requestProblem,
} from "../../../src-shared/domain/dependencies/request.ts";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";

const honestNames: Readonly<Record<PackageManager, string>> = {
  npm: "@types/node",
  pnpm: "left-pad",
  yarn: "left-pad",
  bun: "left-pad",
  uv: "requests",
  poetry: "requests",
  pip: "httpx[http2]",
  cargo: "serde",
  go: "golang.org/x/sync",
};

/** A name or a version that is more than one, for every package manager. An honest one has to be taken. */
const asks = (
  name: string,
  source: string,
  asked: readonly (readonly [name: string, version: string | null])[],
): Case => ({
  name,
  source,
  attack: (testBed) => {
    for (const manager of packageManagers) {
      const honest = honestNames[manager];
      if (requestProblem(manager, { name: honest, version: null }) !== null)
        testBed.note += `refused: ${honest} `;
      for (const [given, version] of asked)
        if (requestProblem(manager, { name: given === "" ? honest : given, version }) === null)
          testBed.note += `${manager} takes ${JSON.stringify(given || honest)} ${JSON.stringify(version)} `;
    }
  },
  judge: (testBed) => (testBed.note === "" ? refused : failed(testBed.note.slice(0, 300))),
});

const names = (list: readonly string[]) => list.map((name) => [name, null] as const);
const versions = (list: readonly string[]) => list.map((version) => ["", version] as const);

/** Lists with something other than packages of a registry: pip would build it, which runs its code. */
const lists: Readonly<Record<string, string>> = {
  "a folder": "./tools/evil\n",
  "a folder without a dot": "tools/evil\n",
  "an editable folder": "-e ./tools/evil\n",
  "an editable folder by its long name": "--editable=./tools/evil\n",
  "a file": "evil-1.0-py3-none-any.whl\n",
  "an archive": "evil.tar.gz\n",
  "a direct address": "evil @ file:///work/evil\n",
  "an address of Git": "git+https://evil.example/x.git#egg=evil\n",
  "an address": "https://evil.example/evil.tar.gz\n",
  "a registry without a lock": "--index-url http://evil.example/simple\nrequests\n",
  "a trusted host": "--trusted-host evil.example\nrequests\n",
  "a continued line": "requests \\\n  @ file:///work/evil\n",
  "a variable": "${EVIL}\n",
  "options of a build": 'requests --config-settings="--build-option=x"\n',
  "options for all": 'requests --global-option="x"\n',
  "sources for all": "--no-binary :all:\nrequests\n",
  "another list outside": "-r /work/evil.txt\n",
  "another list of an address": "-r https://evil.example/list.txt\n",
  "another encoding": "# -*- coding: utf-7 -*-\n+AC0-e .\n",
  "a byte order mark": "\ufeff-e .\n",
  "a form feed": "requests\f-e .\n",
  "a line separator": "requests\u2028-e .\n",
  "a file in the list that is named in it": "-r more.txt\n",
};

const requirements: Case = {
  name: "requirements-that-run-code-when-installed",
  source: "G9, own",
  attack: (testBed) => {
    const request = { manager: "pip", folder: "", name: "requests", version: null, dev: false } as const;
    const problemOf = (text: string): string | undefined => {
      const texts = new Map([
        ["requirements.txt", text],
        ["more.txt", "-e ./tools/evil\n"],
      ]);
      return installation(request, [...texts.keys()], texts).problem;
    };
    const honest = "# tests\nrequests>=2.31,<3 ; python_version > '3.8'\nhttpx[http2]==0.27.*\n--pre\n";
    if (problemOf(honest) !== undefined) testBed.note += "an honest list is refused ";
    for (const [what, text] of Object.entries(lists))
      if (problemOf(text) === undefined) testBed.note += `${what}, `;
  },
  judge: (testBed) => (testBed.note === "" ? refused : failed(`taken: ${testBed.note}`)),
};

/** Packages that an agent asks for, and what is installed besides. */
export const dependencies: Family = {
  name: "dependencies",
  cases: [
    asks(
      "names-that-are-files",
      "G18",
      names([
        "evil.tgz",
        "./evil",
        "../evil",
        "/evil",
        "evil.tar.gz",
        "evil.whl",
        "evil.zip",
        "evil.crate",
        ".",
        "..",
        "evil.TGZ",
        "~/evil",
      ]),
    ),
    asks(
      "names-that-are-options",
      "own",
      names(["-g", "--global", "--prefix=/", "-e", "--index-url=https://evil.example", "-", "--"]),
    ),
    asks(
      "names-that-are-addresses",
      "own",
      names([
        "git+https://evil.example/x",
        "https://evil.example/x.tgz",
        "evil@https://evil.example/x",
        "user/repo",
        "github:user/repo",
        "file:evil",
        "npm:evil@1",
        "evil @ file:///x",
        "link:../x",
        "git@evil.example:x/y.git",
      ]),
    ),
    asks(
      "names-that-are-more-than-one-word",
      "own",
      names([
        "a b",
        "a;touch x",
        "a$(touch x)",
        "a`x`",
        "a\nb",
        "a\0b",
        "a|b",
        "a&&b",
        "a'b",
        'a"b',
        "a>b",
        "a*",
        "a\u202eb",
        "ａ",
      ]),
    ),
    asks(
      "versions-that-are-more-than-a-version",
      "own",
      versions([
        "file:../evil",
        "npm:evil@1",
        "git+https://evil.example/x",
        "https://evil.example/x.tgz",
        "1.0.0 --global",
        "1.0.0;touch x",
        "../evil",
        "evil.tgz",
        "workspace:*",
        "link:../x",
        "user/repo",
        "1.0.0\n2",
        "$(touch x)",
        "patch:x@1#./evil",
      ]),
    ),
    requirements,
  ],
};
