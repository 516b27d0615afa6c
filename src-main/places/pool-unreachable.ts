import { RemediedError } from "#shared/domain/text/remedied-error.ts";

/** The database of the shared pool does not answer. What agents hold stays theirs until their leases end. */
export class PoolUnreachable extends RemediedError {
  override readonly name = "PoolUnreachable";
  /** @param pool name of the database's host */
  constructor(pool: string, why: string) {
    super(
      `The pool of workers on ${pool} cannot be reached: ${why}. Agents keep the places that they have until their leases end; new agents work on this machine.`,
      "Start its database, or look at the address in HOX_POOL; Hox connects again when it answers.",
    );
  }
}
