/** A certificate authority for tests, made with the `openssl` command: Node can generate keys, but not certificates. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

interface Certificate {
  readonly key: string;
  /** In PEM format, with the chain that a server sends. */
  readonly cert: string;
}

interface IssueOptions {
  /** @default ["127.0.0.1", "localhost"] */
  readonly names?: readonly string[];
  /** Negative if it has expired. @default 2 */
  readonly days?: number;
  /** Signed by an intermediate certificate, which the server sends or not. */
  readonly intermediate?: "sent" | "missing";
  readonly commonName?: string;
  /** It names the address of its issuer's certificate, as those of public authorities do. */
  readonly hasIssuerAddress?: boolean;
}

export interface Authority {
  /** The root certificate in PEM format. */
  readonly ca: string;
  /** A file that contains it. */
  readonly caFile: string;
  issue(options?: IssueOptions): Certificate;
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Its files are removed after the tests of the file. */
export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-ca-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => join(folder, name);
  const read = (name: string): string => readFileSync(at(name), "utf8");
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  };
  const sign = (name: string, subject: string, by: string, days: number, extension: string): void => {
    writeFileSync(at(`${name}.ext`), `${extension}\n`);
    openssl(
      "req",
      "-new",
      ...KEY,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
      "-subj",
      `/CN=${subject}`,
    );
    const signer = ["-CA", `${by}.pem`, "-CAkey", `${by}.key`, "-CAcreateserial"];
    const files = ["-in", `${name}.csr`, "-extfile", `${name}.ext`, "-out", `${name}.pem`];
    openssl("x509", "-req", ...signer, "-days", String(days), ...files);
  };
  const root = ["-x509", ...KEY, "-days", "2", "-subj", "/CN=Test Root"];
  openssl("req", ...root, "-keyout", "root.key", "-out", "root.pem");
  sign("intermediate", "Test Intermediate", "root", 2, "basicConstraints=critical,CA:TRUE");
  let issued = 0;
  return {
    ca: read("root.pem"),
    caFile: at("root.pem"),
    issue({
      names = ["127.0.0.1", "localhost"],
      days = 2,
      intermediate,
      commonName = "site",
      hasIssuerAddress = false,
    } = {}) {
      const name = `leaf${++issued}`;
      const list = names.map((each) => `${/^[\d.]+$/.test(each) ? "IP" : "DNS"}:${each}`).join(",");
      const signer = intermediate === undefined ? "root" : "intermediate";
      const address = hasIssuerAddress
        ? "\nauthorityInfoAccess=caIssuers;URI:http://ca.example/issuer.crt"
        : "";
      sign(name, commonName, signer, days, `subjectAltName=${list}${address}`);
      const chain = intermediate === "sent" ? read("intermediate.pem") : "";
      return { key: read(`${name}.key`), cert: read(`${name}.pem`) + chain };
    },
  };
}
