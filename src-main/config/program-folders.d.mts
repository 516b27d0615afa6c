export interface Surroundings {
  readonly platform: string;
  readonly env: Record<string, string | undefined>;
  readonly home: string;
}
export declare const packageManagerFolders: (surroundings?: Surroundings) => readonly string[];
export declare const searchFolders: (surroundings?: Surroundings) => readonly string[];
