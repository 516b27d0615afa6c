/** A certificate as a user makes one, without a program for it: DER by hand, P-256 and SHA-256. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80
      ? Buffer.from([length])
      : length < 0x100
        ? Buffer.from([0x81, length])
        : Buffer.from([0x82, length >> 8, length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), size, content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value, "latin1"));

const ecdsaWithSha256 = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
const commonName = der(0x06, Buffer.from("550403", "hex"));
const subjectAltName = der(0x06, Buffer.from("551d11", "hex"));

const alternative = (name: string): Buffer =>
  isIP(name) === 4 ? der(0x87, Buffer.from(name.split(".").map(Number))) : text(0x82, name);

/** @param names DNS names and IPv4 addresses that it is for @returns PEM */
export function selfSignedCertificate(names: readonly string[]): {
  readonly cert: string;
  readonly key: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(der(0x31, sequence(commonName, text(0x0c, "Hox test"))));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    subject,
    sequence(text(0x17, "200101000000Z"), text(0x17, "491231235959Z")),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, sequence(...names.map(alternative)))))),
  );
  const signature = sign("sha256", content, privateKey);
  const certificate = sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString("base64").replaceAll(/.{64}/gu, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
