// An HTTPS server on this computer, with a certificate that only a given environment trusts.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";

/** Serves one file at any path. Undefined: openssl is missing. `env`: trusts the certificate. */
export async function serveArchive(file) {
  const folder = mkdtempSync(path.join(tmpdir(), "certificate-")),
    [key, cert] = ["key.pem", "cert.pem"].map(name => path.join(folder, name));
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
    request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...subject, "-keyout", key, "-out", cert];
  if (spawnSync("openssl", request, { stdio: "ignore" }).status !== 0) return undefined;
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
    response.writeHead(200).end(readFileSync(file)),
  );
  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${server.address().port}`,
    env: { NODE_EXTRA_CA_CERTS: cert },
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(resolve));
    },
  };
}
