/** Codename of the Debian that this is, as in "bookworm". */
export function debianCodename(): string | undefined;
export function aptInstall(name: string, say: (line: string) => void): Promise<boolean>;
/** The configured archives that carry this Debian, as source lines for a suite of the same archives. */
export function sourcesFor(suite: string, codename: string, etc?: string): string[];
/** Settings by which apt works on lists of its own, in this folder. */
export function aptConfiguration(apt: string): string;
