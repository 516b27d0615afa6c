import { userInfo } from "node:os";
import { namesIn } from "../../disk/repository-files.ts";

/** Just enough of /etc for linkers, certificates, interpreters and their libraries; never all of it. */
const settings = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/crypto-policies/back-ends",
  "/etc/debian_version",
  "/etc/fonts",
  "/etc/inputrc",
  "/etc/java",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/lsb-release",
  "/etc/magic",
  "/etc/maven/m2.conf",
  "/etc/maven/logging",
  "/etc/mime.types",
  "/etc/os-release",
  "/etc/perl",
  "/etc/pki/ca-trust/extracted",
  "/etc/pki/java",
  "/etc/pki/tls/cert.pem",
  "/etc/pki/tls/certs",
  "/etc/pki/tls/openssl.cnf",
  "/etc/protocols",
  "/etc/python3",
  "/etc/services",
  "/etc/ssl/cert.pem",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/static/ssl/certs",
  "/etc/timezone",
  "/etc/xml/catalog",
];

/** Debian gives each of these a version in its name, and they do not start without. */
const versioned: readonly {
  readonly folder: string;
  readonly name: RegExp;
  readonly parts: readonly string[];
}[] = [
  { folder: "/etc", name: /^java-\d+-/u, parts: [""] },
  { folder: "/etc", name: /^python3\.\d+$/u, parts: [""] },
  { folder: "/etc/php", name: /^\d/u, parts: ["/cli", "/mods-available"] },
];

let found: readonly string[] | undefined;

/** What a command may read of this machine's /etc. It is looked up once: what is installed meanwhile is seen later. */
export function systemSettings(): readonly string[] {
  found ??= [
    ...settings,
    ...versioned.flatMap(({ folder, name, parts }) =>
      namesIn(folder)
        .filter((one) => name.test(one))
        .flatMap((one) => parts.map((part) => `${folder}/${one}${part}`)),
    ),
  ];
  return found;
}

/** The host's name inside. */
const sandboxHostName = "sandbox";

/** A file for a command that exists in memory only. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Replacements for /etc files about users and name servers. Programs see their own user with a name,
 * `localhost`, and no server for other names.
 */
export function systemFiles(home: string): readonly GeneratedFile[] {
  const { uid, gid, username } = userInfo();
  const name = /^[a-z_][a-z0-9_-]*$/iu.test(username) ? username : "user";
  const nobody = 65_534;
  const users = [
    ...(uid === 0 ? [] : [["root", 0, 0, "/root"] as const]),
    [uid === 0 ? "root" : name, uid, gid, home] as const,
    ...(uid === nobody ? [] : [["nobody", nobody, nobody, "/nonexistent"] as const]),
  ];
  const groups = [
    ...(gid === 0 ? [] : [["root", 0] as const]),
    [gid === 0 ? "root" : name, gid] as const,
    ...(gid === nobody ? [] : [["nogroup", nobody] as const]),
  ];
  const file = (path: string, lines: readonly string[]): GeneratedFile => ({
    path: `/etc/${path}`,
    text: lines.map((line) => `${line}\n`).join(""),
  });
  return [
    file(
      "passwd",
      users.map(([user, id, group, folder]) => `${user}:x:${id}:${group}:${user}:${folder}:/bin/sh`),
    ),
    file(
      "group",
      groups.map(([group, id]) => `${group}:x:${id}:`),
    ),
    file("hosts", [`127.0.0.1 localhost ${sandboxHostName}`, "::1 localhost ip6-localhost ip6-loopback"]),
    file("hostname", [sandboxHostName]),
    file("host.conf", ["multi on"]),
    file("resolv.conf", []),
    file("nsswitch.conf", [
      ...["passwd", "group", "shadow"].map((database) => `${database}: files`),
      "hosts: files",
      ...["networks", "protocols", "services", "ethers", "rpc"].map((database) => `${database}: files`),
    ]),
    file("shells", ["/bin/sh", "/bin/bash"]),
  ];
}
