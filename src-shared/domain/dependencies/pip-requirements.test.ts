import { describe, expect, it } from "vitest";
import { requirementsProblem } from "./pip-requirements.ts";

const problem = (texts: Readonly<Record<string, string>>, list = "requirements.txt") =>
  requirementsProblem(list, new Map(Object.entries(texts)), Object.keys(texts));

describe("a list of requirements", () => {
  it("may name packages, versions, conditions, hashes, registries and lists of the same kind", () => {
    const text = `# A comment
requests==2.32.3  # why
httpx[http2, socks]>=0.27,<1 ; python_version >= "3.8" and sys_platform != 'win32'
zope.interface ~= 7.0
Django (>=4.2)
one==1.0+local.1 \\
    --hash=sha256:0a1b \\
    --hash=sha256:0a1c

--index-url https://packages.example.org/simple/
--extra-index-url=https://other.example.org/simple
-r requirements/base.txt
-c requirements/../constraints.txt
`;
    expect(
      problem({
        "requirements.txt": text,
        "requirements/base.txt": "attrs\r\n-r more.txt\r\n",
        "requirements/more.txt": "six",
        "constraints.txt": "six<2\n",
      }),
    ).toBeNull();
    expect(problem({})).toBeNull();
  });

  it.each([
    "./tools/evil",
    "tools/evil",
    ".",
    "-e ./tools/evil",
    "-e.",
    "--editable=tools/evil",
    "evil.whl",
    "evil.tar.gz ; python_version > '3'",
    "evil.zip[extra]",
    "evil @ file:///evil",
    "evil@./evil",
    "git+https://example.org/evil",
    "https://example.org/evil.tgz",
    "file:evil",
    "--no-binary :all:",
    "--no-binary=evil",
    "--only-binary :none:",
    "--find-links ./wheels",
    "--index-url http://example.org/simple",
    "--trusted-host example.org",
    "--config-settings x=y",
    "--global-option=x",
    "evil --config-settings=x=y",
    "evil --global-option=x",
    `$${"{EVIL}"}`,
    `evil==$${"{EVIL}"}`,
    "-r /etc/evil.txt",
    "-r ../evil.txt",
    "-r missing.txt",
    "-r https://example.org/evil.txt",
    "plain \\\n--no-binary=:all:",
    "plain \\\n  -e ./evil",
    "# not continued \\\n-e ./evil",
    "plain\r-e ./evil",
    "# a page\f-e ./evil",
    "# lines\u2028-e ./evil",
    "# lines\u0085-e ./evil",
    "# lines\u001e-e ./evil",
    "\ufeffplain",
    "# -*- coding: utf-7 -*-\nplain",
    "plain \\",
  ])("may not name %j", (line) => {
    expect(
      problem({
        "requirements.txt": `plain\n${line}${line.endsWith("\\") ? "" : "\n"}`.replace(
          /^plain\n(?=\ufeff|# -)/u,
          "",
        ),
      }),
    ).toMatch(/align_request/u);
  });

  it("is checked with the lists that it includes, even if they include each other", () => {
    expect(
      problem({ "requirements.txt": "-r a.txt\n", "a.txt": "-r requirements.txt\n-e ./evil\n" }),
    ).toContain("Line 2 of a.txt");
    expect(problem({ "requirements.txt": "-r a.txt\n", "a.txt": "-r requirements.txt\nsix\n" })).toBeNull();
  });
});
