/** Serves the app to other people than the user who started the host: encrypted, and only to those who are known. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { BlockList, isIP } from "node:net";
import { rootCertificates } from "node:tls";
import type { Settings } from "#shared/contract/settings.ts";
import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import { printError } from "../log/log.ts";
import type { People } from "../people/people.ts";
import { createLocalServer } from "./local-endpoint.ts";
import { createRequestAnswerer } from "./page-requests.ts";
import { createPeopleEntrance, type HostNames, type TrustedProxy } from "./people-entrance.ts";
import { refuse } from "./request-refusal.ts";
import { createSessionSockets } from "./session-sockets.ts";
import { closeServer, listen, ServerError } from "./web-socket.ts";

export interface PeopleServerOptions {
  /** The address of this machine to listen on, with or without a port: `0.0.0.0`, `192.168.1.5:8443`. */
  readonly listen: string;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly proxy: TrustedProxy | null;
  /** Where people open it, if a proxy or a name stands in front of it: `https://hox.example.com`; null: by the certificate. */
  readonly publicAddress: string | null;
  /** The built renderer. */
  readonly files: string;
  readonly people: People;
}

export interface PeopleServer {
  readonly port: number;
  /** Where people open it. */
  readonly origin: string;
  /** Where machines reach it with TLS; null: only through its other server. */
  readonly workers: string | null;
  close(): Promise<void>;
}

/** How often it looks for people that another process has removed. */
const lookMs = 250;

/** @throws ServerError where nobody could use it safely, with what is missing */
export async function servePeople(host: Host, options: PeopleServerOptions): Promise<PeopleServer> {
  const { address, port: wanted } = listenedAt(options.listen);
  const { people, proxy, tls } = options;
  if (tls === null) refuseUnencrypted(options);
  // Where it cannot be read nobody could be let in.
  people.look();
  const pair = tls === null ? null : await readPair(tls);
  // Machines come here only where the server itself has TLS: a proxy in front of it asks people who they are.
  const machines = tls === null ? null : host.machines;
  const server = createLocalServer(
    (request, response) => {
      if (machines?.answer(request, response)) return;
      answer(request, response).catch((error: unknown) => refuse(response, error));
    },
    undefined,
    pair,
  );
  const certificate = pair === null ? null : new X509Certificate(pair.cert);
  const name = publicName(options.publicAddress, certificate);
  // What stands in front of it may have another certificate.
  const pin = pair === null || name.kind === "proxied" ? "" : pinOf(pair.cert);
  const port = await listen(server, address, wanted);
  const names = namesOf(name, certificate, port);
  const entrance = createPeopleEntrance({ people, names, proxy, onlyProxy: tls === null });
  const sockets = createSessionSockets(host.router as HostRouter, entrance);
  const answer = createRequestAnswerer({ entrance, files: options.files, onEntered: () => undefined });
  server.on("upgrade", (...request) => {
    if (!machines?.upgrade(...request)) sockets.upgrade(...request);
  });

  // A window of somebody with another role begins anew, with what that role shows.
  const stop = people.listen(() => sockets.check());
  const looking = setInterval(lookAgain(people), lookMs);
  looking.unref();

  return {
    port,
    origin: names.origin,
    workers: machines === null ? null : names.origin.replace(/^https/u, "wss") + pin,
    async close() {
      clearInterval(looking);
      stop();
      await closeServer(server, sockets);
    },
  };
}

/** @throws ServerError where anybody could say that they are the proxy, before anything is served */
export function trustedProxy(
  { header, address, secretEnv }: Settings["proxy"],
  environment: NodeJS.ProcessEnv,
): TrustedProxy | null {
  if (header === "") return null;
  const secret = (secretEnv === "" ? undefined : environment[secretEnv]) || null;
  const isLocal = isLoopback(address);
  if (secret === null && (address === "" || isLocal))
    throw new ServerError(
      isLocal
        ? `Every user of this machine can connect from the proxy's address ${address} and say that they are another person.`
        : `settings.json names the proxy's header ${header}, but not by what the proxy is known.`,
      secretEnv === ""
        ? `Set proxy.secretEnv to the variable with a secret that the proxy shows${isLocal ? "" : ", or proxy.address to the proxy's address"}.`
        : `Set the environment variable ${secretEnv} to the secret that the proxy shows.`,
    );
  return { header: header.toLowerCase(), address: address === "" ? null : address, secret };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

/** A file that cannot be read lets nobody in and ends nothing else. Said once, until it is read again. */
function lookAgain(people: Pick<People, "look">): () => void {
  let hasFailed = false;
  return () => {
    try {
      people.look();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) printError("the list of people cannot be read", error);
      hasFailed = true;
    }
  };
}

function refuseUnencrypted({ proxy, publicAddress }: PeopleServerOptions): void {
  if (proxy === null)
    throw new ServerError(
      "Hox does not listen for other people without TLS: what they type and see could be read on the way.",
      "Add --tls-cert and --tls-key, or set up a trusted proxy in settings.json (docs/people.md).",
    );
  if (publicAddress === null)
    throw new ServerError(
      "Hox does not know at which address people open the proxy.",
      'Set proxy.publicAddress in settings.json, for example "https://hox.example.com".',
    );
}

async function readPair(tls: { readonly cert: string; readonly key: string }) {
  const read = async (path: string, what: string): Promise<string> => {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      throw new ServerError(
        `Can't read the ${what} ${path}: ${(error as Error).message}`,
        "Give the path of a PEM file.",
      );
    }
  };
  const [cert, key] = await Promise.all([read(tls.cert, "certificate"), read(tls.key, "key")]);
  try {
    new X509Certificate(cert);
  } catch (error) {
    throw new ServerError(
      `${tls.cert} is not a certificate: ${(error as Error).message}`,
      "Give the path of a PEM file that begins with the host's own certificate.",
    );
  }
  return { cert, key };
}

/**
 * What the address for machines ends with: the certificate's fingerprint, unless an authority that Node knows vouches for it.
 * One that does renews it often, under the same name.
 */
function pinOf(pem: string): string {
  const chain = pem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gsu) ?? [];
  const last = new X509Certificate(chain.at(-1) ?? pem);
  if (rootCertificates.some((root) => last.checkIssued(new X509Certificate(root)))) return "";
  return `#${new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase()}`;
}

/** @throws ServerError */
function listenedAt(text: string): { readonly address: string; readonly port: number } {
  const [, bracketed, plain = "", digits = "0"] =
    /^(?:\[([\da-f:.]+)\]|([^:]+))(?::(\d{1,5}))?$/iu.exec(text) ?? [];
  // An IPv6 address without a port may be written without brackets.
  const address = bracketed ?? (plain === "" && /^[\da-f:.]+$/iu.test(text) ? text : plain);
  const port = Number(digits);
  if (address === "" || port > 65_535)
    throw new ServerError(
      `--listen ${text} is not an address to listen on.`,
      "Give an address of this machine, for example 0.0.0.0 or 192.168.1.5:8443.",
    );
  return { address, port };
}

/** Where people open it: a proxy or a name in front of it, or else the first name of the certificate. */
type PublicName = { readonly kind: "proxied" | "certified"; readonly host: string };

/** @throws ServerError where no address would be one that browsers take */
function publicName(publicAddress: string | null, certificate: X509Certificate | null): PublicName {
  if (publicAddress !== null) return { kind: "proxied", host: new URL(publicAddress).host };
  const names = certificate === null ? [] : certifiedNames(certificate);
  const host = names.find((one) => !one.startsWith("*"));
  if (host !== undefined) return { kind: "certified", host };
  throw new ServerError(
    names.length === 0
      ? "The certificate names no address (subjectAltName), so browsers accept it nowhere."
      : `The certificate is for ${names.join(", ")}: Hox does not know at which of these names people open it.`,
    names.length === 0
      ? "Make one for the name by which people open this host, or set proxy.publicAddress in settings.json to where a proxy serves it."
      : 'Set proxy.publicAddress in settings.json, for example "https://hox.example.com:8443".',
  );
}

/** The host's own names: the public address, and those that its certificate is for. A page of another name that leads here is refused. */
function namesOf(
  { kind, host: first }: PublicName,
  certificate: X509Certificate | null,
  port: number,
): HostNames & { readonly origin: string } {
  const proxied = kind === "proxied" ? first : null;
  const origin = `https://${proxied ?? withPort(first, port)}`;
  return {
    origin,
    describe: origin,
    includes(host) {
      if (host === proxied) return true;
      const [, bracketed, plain, digits = "443"] = /^(?:\[(.+)\]|([^:[\]]+))(?::(\d+))?$/u.exec(host) ?? [];
      const name = bracketed ?? plain;
      if (name === undefined || Number(digits) !== port || certificate === null) return false;
      return certificate.checkHost(name) !== undefined || certificate.checkIP(name) !== undefined;
    },
  };
}

const withPort = (name: string, port: number): string => {
  const host = name.includes(":") ? `[${name}]` : name;
  return port === 443 ? host : `${host}:${port}`;
};

const certifiedNames = ({ subjectAltName = "" }: X509Certificate): readonly string[] =>
  [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/gu)].flatMap(([, name]) => name ?? []);
