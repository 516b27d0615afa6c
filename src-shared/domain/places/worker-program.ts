/** The program that a host gives to machines: `worker join` in one file. */

export const workerProgramFile = "hox-worker.mjs";

/** Where the host serves it: to those with an invitation or a key. */
export const workerProgramPath = `/workers/${workerProgramFile}`;

/**
 * Writes the program of a worker into the current folder if it has the SHA-256 of the invitation. A certificate for which no
 * authority vouches is compared with the address before the invitation is sent.
 */
export function fetchCommand(address: string, invitation: string, sha256: string): string {
  const begin =
    'const end=(why)=>{console.error(String(why));process.exit(1)},[a,b]=process.versions.node.split(".");if((a-22||b-13)<0)end("Node "+process.version+" is too old. Install 22.13 or later.");';
  const keep = (bytes: string): string =>
    `if(require("crypto").createHash("sha256").update(${bytes}).digest("hex")!=="${sha256}")end("The invitation does not count any more, or this is not its host. Make another one.");require("fs").writeFileSync("${workerProgramFile}",${bytes})`;
  const [origin = "", fingerprint] = address.replace(/^ws/u, "http").split("#");
  if (fingerprint === undefined)
    return `node -e '${begin}fetch("${origin}${workerProgramPath}",{headers:{authorization:"Invitation ${invitation}"}}).then(async(r)=>{const b=Buffer.from(await r.arrayBuffer());${keep("b")}}).catch((e)=>end(e.cause??e))'`;
  const [, host = "", port = "443"] = /^https:\/\/(.+?)(?::(\d+))?$/u.exec(origin) ?? [];
  const to = `host:"${host.replaceAll(/[[\]]/gu, "")}",port:${port}`;
  return `node -e '${begin}const s=require("tls").connect({${to},rejectUnauthorized:false},()=>{if(s.getPeerCertificate().fingerprint256.replaceAll(":","").toLowerCase()!=="${fingerprint}")end("${host} shows another certificate than that of the invitation.");s.write("GET ${workerProgramPath} HTTP/1.0\\r\\nHost: ${host}:${port}\\r\\nAuthorization: Invitation ${invitation}\\r\\n\\r\\n");const p=[];s.on("data",(d)=>p.push(d)).on("end",()=>{const a=Buffer.concat(p),b=a.subarray(a.indexOf("\\r\\n\\r\\n")+4);${keep("b")}})}).on("error",end)'`;
}
