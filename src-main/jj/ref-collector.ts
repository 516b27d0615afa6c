import { homeWorkspaceName } from "#shared/domain/graph-words/checkout-name.ts";
import type { Refs } from "#shared/graph/change.ts";
import type { Row } from "./row-template.ts";

/** Gathers names from rows. jj names working copies only where there are several; `own` names the only one. */
export class RefCollector {
  readonly #bookmarks: Record<string, string[]> = {};
  readonly #workspaces: Record<string, string> = {};
  #current: string | undefined;
  add({ change, bookmarks, workspaces, current }: Row): void {
    for (const name of bookmarks) {
      const targets = this.#bookmarks[name];
      if (targets) targets.push(change.commitId);
      else this.#bookmarks[name] = [change.commitId];
    }
    for (const name of workspaces) if (name !== homeWorkspaceName) this.#workspaces[name] = change.commitId;
    if (current) this.#current = change.commitId;
  }
  refs(own: string): Refs {
    if (this.#current !== undefined && Object.keys(this.#workspaces).length === 0)
      this.#workspaces[own] = this.#current;
    return { bookmarks: this.#bookmarks, workspaces: this.#workspaces };
  }
}
