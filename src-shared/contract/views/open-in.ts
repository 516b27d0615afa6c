import type { Opener, OpenerKind } from "../../domain/open-in/opener.ts";

/** A program that may open places, and whether it is on the machine of the host. */
export interface OpenerView extends Opener {
  readonly isFound: boolean;
}

export type OpenersView = Readonly<Record<OpenerKind, readonly OpenerView[]>>;

/** What became of opening a place. */
export type OpenedView =
  /** `note`: a limitation, e.g. that the file is a read-only copy. */
  | { readonly kind: "opened"; readonly program: string; readonly path: string; readonly note: string | null }
  /** The window is on another machine than the host, so no program is started there. */
  | {
      readonly kind: "elsewhere";
      readonly path: string;
      readonly folder: string;
      readonly line: number | null;
      readonly note: string | null;
      /** Of the machine of the host, for `ssh`. */
      readonly machine: string;
      readonly user: string;
    };
