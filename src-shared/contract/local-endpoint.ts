/**
 * How a terminal reaches the host that works on a repository: to look at the run, steer it and answer its cards, by the
 * commands whose rows say so. Nothing of settings, keys, folders and the graph: whoever needs those starts a host of its own.
 *
 * The host listens on 127.0.0.1 and writes port and secret into `steering.json` in the repository's state folder, which
 * only its user can read; agents see neither the folder nor the network. Every request carries the secret as a bearer
 * token. A request that a page sends (it has an `Origin`) or that names another host is refused whatever it carries.
 */
export const endpointFile = "steering.json";
export const endpointPath = "/steer";

/** What stands in `endpointFile`. */
export interface EndpointFile {
  /** The process that listens, for whoever finds nobody there. */
  readonly pid: number;
  readonly port: number;
  readonly secret: string;
  /** The root of the repository whose runs it steers, for the field `repository` of each command. */
  readonly repository: string;
}
