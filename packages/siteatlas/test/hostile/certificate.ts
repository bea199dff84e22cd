/**
 * Certificates for the TLS cases, made with the `openssl` command (Node can generate keys, but not
 * certificates) and signed by an authority that is created for each run of the suite. The clients trust it
 * through
 * NODE_EXTRA_CA_CERTS (run.mjs).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CertificateOptions, Tls } from "./case.ts";

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export function makeCertificate(options: CertificateOptions = {}): Tls {
  const { names = ["127.0.0.1", "localhost"], commonName = "siteatlas test" } = options;
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-tls-"));
  const [key, request, cert, extra] = ["key.pem", "request.pem", "cert.pem", "extra.txt"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const run = (...args: string[]): void => {
    execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  };
  try {
    const subject = ["-subj", `/CN=${commonName.replaceAll("/", "\\/")}`, "-utf8"];
    const alternatives = names.map((name) => `${/^[\d.]+$/.test(name) ? "IP" : "DNS"}:${name}`).join(",");
    writeFileSync(extra, `subjectAltName=${alternatives}\n`);
    run("req", "-new", ...KEY, "-keyout", key, "-out", request, ...subject);
    const signer = options.selfSigned ? ["-signkey", key] : authority();
    // openssl does not sign for a past period, but accepts an end of validity before today.
    const days = ["-days", options.expired ? "-1" : "1"];
    run("x509", "-req", "-in", request, ...signer, ...days, "-extfile", extra, "-out", cert);
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function authority(): string[] {
  const folder = process.env["HOSTILE_AUTHORITY"] ?? "";
  return ["-CA", join(folder, "ca.pem"), "-CAkey", join(folder, "ca-key.pem"), "-CAcreateserial"];
}
