/** What a folder is, before it is opened. */
export type FolderView =
  | { readonly kind: "jj"; readonly root: string }
  | {
      readonly kind: "git";
      readonly root: string;
      readonly canAdopt: boolean;
      readonly reason: string | null;
    }
  | { readonly kind: "plain"; readonly root: string }
  | {
      readonly kind: "missing" | "unreadable" | "bare" | "broken";
      readonly root: string;
      readonly reason: string;
      readonly remedy: string;
    };
