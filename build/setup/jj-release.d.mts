export interface ReleaseArchive {
  readonly version: string;
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
}
export interface FetchProgress {
  readonly received: number;
  readonly total: number | null;
}
export declare function jjArchive(platform?: string, arch?: string): ReleaseArchive | undefined;
export declare class JjNotFetched extends Error {
  constructor(kind: JjNotFetched["kind"], message: string, cause?: unknown);
  readonly kind: "no-archive" | "unreachable" | "checksum" | "archive" | "disk" | "cancelled";
  readonly remedy: string;
}
export declare function fetchJj(options: {
  readonly target: string;
  readonly archive?: ReleaseArchive | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FetchProgress) => void) | undefined;
  readonly program?: string;
  readonly silentMs?: number;
}): Promise<{ readonly version: string; readonly license: Buffer | undefined }>;
