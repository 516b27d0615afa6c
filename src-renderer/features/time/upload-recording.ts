/** A recording's file on its way to the host, in parts. */
import { maxRecordingBytes, uploadPartBytes } from "#shared/contract/commands/replay.ts";
import { client } from "../../client.ts";

const megabytes = (bytes: number): string =>
  (bytes / 1024 / 1024).toLocaleString("en", { maximumFractionDigits: 1 });

/** @param say hears how far it is, where there is more than one part */
export async function uploadRecording(file: File, say: (words: string) => void): Promise<string> {
  if (file.size > maxRecordingBytes)
    throw new Error(
      `${file.name} is ${megabytes(file.size)} MB; recordings are at most ${megabytes(maxRecordingBytes)} MB. Check that it is the right file.`,
    );
  if (file.size === 0)
    throw new Error(`${file.name} is empty. Export the run again and copy the complete file.`);
  const { upload } = await client.replay.beginUpload({ name: file.name, bytes: file.size });
  for (let from = 0; from < file.size; from += uploadPartBytes) {
    if (file.size > uploadPartBytes)
      say(`Reading ${file.name}: ${megabytes(from)} of ${megabytes(file.size)} MB`);
    await client.replay.upload({ upload, content: await base64Of(file.slice(from, from + uploadPartBytes)) });
  }
  if (file.size > uploadPartBytes) say(`Opening ${file.name}`);
  return upload;
}

async function base64Of(part: Blob): Promise<string> {
  const bytes = new Uint8Array(await part.arrayBuffer());
  let signs = "";
  // Of more arguments at once a call runs out of room.
  for (let from = 0; from < bytes.length; from += argumentsAtOnce)
    signs += String.fromCharCode(...bytes.subarray(from, from + argumentsAtOnce));
  return btoa(signs);
}

const argumentsAtOnce = 8_192;
