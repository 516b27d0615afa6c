/** The folder of Debian's programs of Postgres, or where HOX_POSTGRES says they are; undefined: there are none. */
export function postgresFolder(): string | undefined;
export function installPostgres(say: (line: string) => void): Promise<void>;
export function programsFor(
  programs: string,
  folder: string,
): { readonly programs: string; readonly env: NodeJS.ProcessEnv };
