/**
 * How a terminal reaches the host that works on a repository: to watch and control the run and answer its
 * cards, by the commands that allow it. No settings, keys, folders or graph: those need a host in the same
 * process.
 *
 * The host listens on 127.0.0.1 and writes port and secret into `steering.json` in the repository's state
 * folder, which only its user can read; agents see neither the folder nor the network. Every request has the
 * secret as a bearer token. A request from a page (with an `Origin`) or for another host name is always
 * refused.
 */
export const endpointFile = "steering.json";
export const endpointPath = "/steer";

/** The content of `endpointFile`. */
export interface EndpointFile {
  /** The listening process, for the message if it does not answer. */
  readonly pid: number;
  readonly port: number;
  readonly secret: string;
  /** The root of the repository whose runs it steers, for the field `repository` of each command. */
  readonly repository: string;
}
