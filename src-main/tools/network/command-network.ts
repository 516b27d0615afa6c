import { copyFile, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseAllowedHost } from "#shared/domain/network/network-hosts.ts";
import { resourcePath } from "../../config/resources-folder.ts";
import { defaultProxyLimits, startFilteringProxy } from "./filtering-proxy.ts";
import type { RefusedConnection } from "./network-refusal.ts";
import type { ProxyLimits } from "./proxy-context.ts";
import type { RouteOptions } from "./route.ts";
import { upstreamProxyOf } from "./upstream-proxy.ts";

export interface CommandNetworkOptions extends Pick<RouteOptions, "resolveName" | "dial" | "setting"> {
  /** As `sandbox.hosts` lists them. */
  readonly hosts: readonly string[];
  /** A Node that runs inside the sandbox. */
  readonly node: string;
  /** Only the user may enter it; what is kept in it goes with `close`. */
  readonly folder: string;
  /** For the audit; called once for each different target and reason. */
  readonly onRefused: (refused: RefusedConnection) => void;
  /** Where the machine's own proxy is named; default: our environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<ProxyLimits>;
}

/** What a sandbox without network access adds so that a command can reach the listed hosts. */
export interface CommandNetwork {
  /** Mount them after the parents of their destinations. */
  readonly mounts: readonly {
    readonly source: string;
    readonly destination: string;
    readonly readOnly: true;
  }[];
  /** Set for the command, over what it has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Taken out of the command's environment: they would lead past the proxy, or say that there is no network. */
  readonly unsetEnvironment: readonly string[];
  /** Put before the program and the arguments of the command. */
  readonly prefix: readonly string[];
  /** Ends every connection. To be called when the command is over, however it ended. */
  close(): Promise<void>;
}

/** Where the parts are inside. `/run` is the sandbox's own, and no workspace is below it. */
const inside = "/run/hox-network";
/** The usual port of a proxy; the network namespace is new, so it is free. */
const port = 3128;
/** What a Unix socket's address holds, less its final null byte; macOS has the shorter one. */
const maxSocketPathLength = 103;

/** Starts a filtering proxy for one command. Null: the list is empty, and there is no network at all. */
export async function openCommandNetwork(options: CommandNetworkOptions): Promise<CommandNetwork | null> {
  if (options.hosts.length === 0) return null;
  const allowed = options.hosts.map((host) => {
    const read = parseAllowedHost(host);
    if ("allowed" in read) return read.allowed;
    throw new Error(`"${host}" in ${options.setting ?? "sandbox.hosts"} ${read.mistake}.`);
  });
  const upstream = upstreamProxyOf(options.environment ?? process.env);
  // mkdtemp denies access to others.
  const folder = await mkdtemp(join(await realpath(options.folder), "net-"));
  try {
    const socket = join(folder, "proxy");
    if (Buffer.byteLength(socket) > maxSocketPathLength)
      throw new Error(
        `${socket} is too long for a Unix socket (${maxSocketPathLength} bytes). Set HOX_STATE to a folder with a shorter path.`,
      );
    const forwarder = join(folder, "forwarder.mjs");
    await copyFile(resourcePath("sandbox", "loopback-forwarder.mjs"), forwarder);
    const proxy = await startFilteringProxy(socket, {
      allowed,
      upstream,
      limits: { ...defaultProxyLimits, ...options.limits },
      onRefused: options.onRefused,
      ...(options.resolveName ? { resolveName: options.resolveName } : {}),
      ...(options.dial ? { dial: options.dial } : {}),
      ...(options.setting ? { setting: options.setting } : {}),
    });
    const parts = { node: await realpath(options.node), "forwarder.mjs": forwarder, proxy: socket };
    return {
      mounts: Object.entries(parts).map(([name, source]) => ({
        source,
        destination: `${inside}/${name}`,
        readOnly: true,
      })),
      environment: proxyEnvironment(`http://127.0.0.1:${port}`),
      unsetEnvironment: ["ALL_PROXY", "all_proxy", "CARGO_NET_OFFLINE", "npm_config_offline"],
      prefix: [`${inside}/node`, `${inside}/forwarder.mjs`, `${inside}/proxy`, String(port)],
      async close() {
        await proxy.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Every tool looks elsewhere for its proxy. */
export function proxyEnvironment(proxy: string): Readonly<Record<string, string>> {
  const local = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: local,
    no_proxy: local,
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: local,
    CARGO_HTTP_PROXY: proxy,
    PIP_PROXY: proxy,
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    // Node's own fetch follows the variables only when it is asked to.
    NODE_USE_ENV_PROXY: "1",
  };
}
